import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/tools/define-tool.ts';
import { type ToolContext, text } from '../../src/tools/tool.ts';

const context = {} as ToolContext;
const tool = defineTool({
  name: 'greet',
  description: 'Greets.',
  input: z.object({
    who: z.string().describe('Whom to greet'),
    lines: z.object({ first: z.number() }).optional(),
    loud: z.boolean().default(false),
  }),
  handle: async ({ who, loud }) => text(loud ? who.toUpperCase() : who),
});

test('the schema is an object of draft 7 with defaults left optional', () => {
  expect(tool.inputSchema).toEqual({
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      who: { type: 'string', description: 'Whom to greet' },
      lines: {
        type: 'object',
        properties: { first: { type: 'number' } },
        required: ['first'],
      },
      loud: { type: 'boolean', default: false },
    },
    required: ['who'],
  });
});

test('parsed arguments reach the work, unknown keys do not matter', async () => {
  expect(await tool.call({ who: 'ann', loud: true, extra: 1 }, context)).toEqual(text('ANN'));
});

test.each([
  [undefined, /^greet: who: /],
  [{ who: 3 }, /^greet: who: /],
  [{ who: 'a', lines: { first: 'x' } }, /^greet: lines\.first: /],
  [[], /^greet: .*expected object/],
])('wrong arguments %j are refused by the name of the field', async (args, message) => {
  await expect(tool.call(args, context)).rejects.toMatchObject({
    code: 'invalid-argument',
    message: expect.stringMatching(message),
  });
});
