/** Forms from JSON schemas: the fields that a view is given, and what the agent is told. */
import { describe, expect, test } from 'vitest';
import { checkForm } from '../../src/session/form-check.ts';
import { fieldsOf } from '../../src/session/forms.ts';
import type { FieldValue, FormField } from '../../src/session/prompts.ts';

function field(schema: object, required = false): FormField {
  const [made] = fieldsOf({ properties: { it: schema }, required: required ? ['it'] : [] }) ?? [];
  if (!made) throw new Error('no field');
  return made;
}

/** The value that the agent gets, or what the user is told. */
function answer(schema: object, value: FieldValue): unknown {
  const { values, errors } = checkForm([field(schema)], { it: value });
  return errors?.['it'] ?? values['it'];
}

describe('a field', () => {
  const options = [
    { value: 'a', label: 'A' },
    { value: 'b', label: 'b' },
  ];
  test.each([
    [{}, { type: 'text', label: 'it' }],
    [
      { type: 'string', title: 'T', description: 'D', default: 'x' },
      { type: 'text', label: 'T', description: 'D', default: 'x' },
    ],
    [
      { type: 'string', format: 'email' },
      { type: 'text', format: 'email' },
    ],
    [
      { type: ['string', 'null'], title: 'T' },
      { type: 'text', label: 'T' },
    ],
    [
      { anyOf: [{ type: 'integer' }, { type: 'null' }], title: 'T' },
      { type: 'integer', label: 'T' },
    ],
    [
      { type: 'number', default: 0 },
      { type: 'number', default: 0 },
    ],
    [{ type: 'integer' }, { type: 'integer' }],
    [
      { type: 'boolean', default: false },
      { type: 'boolean', default: false },
    ],
    [
      { type: 'string', enum: ['a', 'b'], enumNames: ['A'] },
      { type: 'choice', options },
    ],
    [{ oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] }, { type: 'choice', options }],
    [{ anyOf: [{ const: 'a', title: 'A' }, { const: 'b' }] }, { type: 'choice', options }],
    [
      { type: 'array', items: { enum: ['a'] }, default: ['a'] },
      { type: 'choices', default: ['a'], options: [{ value: 'a', label: 'a' }] },
    ],
    [
      { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }, { const: 'b' }] } },
      { type: 'choices', options },
    ],
    [
      { type: 'integer', enum: [1, 2], default: 2 },
      {
        type: 'choice',
        default: '2',
        options: [
          { value: '1', label: '1' },
          { value: '2', label: '2' },
        ],
      },
    ],
    [{ const: true }, { type: 'choice', options: [{ value: 'true', label: 'true' }] }],
    [{ type: 'object' }, { type: 'text' }],
    [{ type: 'array', items: { type: 'string' } }, { type: 'text' }],
    [
      { type: 7, title: 'T', minimum: 'x' },
      { type: 'text', label: 'T' },
    ],
    ['nonsense', { type: 'text', label: 'it' }],
  ] as [object, object][])('of %j', (schema, expected) => {
    expect(field(schema)).toMatchObject(expected);
  });

  test('has the order of the schema, and is none without one', () => {
    const properties = { b: {}, a: {}, constructor: {} };
    expect(fieldsOf({ properties })?.map(({ name }) => name)).toEqual(['b', 'a', 'constructor']);
    expect(fieldsOf(undefined)).toBeUndefined();
    expect(fieldsOf({ type: 'object' })).toEqual([]);
  });
});

describe('an answer', () => {
  test.each([
    [{ type: 'string', minLength: 2 }, 'x', 'needs 2 characters or more'],
    [{ type: 'string', maxLength: 2 }, 'äöü', 'takes 2 characters at most'],
    [{ type: 'string', maxLength: 2 }, '😀😀', '😀😀'],
    [{ type: 'string', pattern: '^[a-z]+$' }, 'abc1', 'must be of the form ^[a-z]+$'],
    [{ type: 'string', pattern: '^[a-z]+$' }, 'abc', 'abc'],
    [{ type: 'string', pattern: '(' }, 'abc', 'abc'],
    [{ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(40)}!`, `${'a'.repeat(40)}!`],
    [{ type: 'string', format: 'email' }, 'me', 'must be an email address'],
    [{ type: 'string', format: 'email' }, 'me@example.com', 'me@example.com'],
    [{ type: 'string', format: 'uri' }, 'no', 'must be an address such as https://example.com'],
    [{ type: 'string', format: 'date' }, '2026-02-30', 'must be a date such as 2026-12-31'],
    [{ type: 'string', format: 'date' }, '2026-02-28', '2026-02-28'],
    [{ type: 'string', format: 'date-time' }, '2026-02-28', 'must be such as 2026-12-31T23:59:00Z'],
    [
      { type: 'string', format: 'date-time' },
      '2026-02-28T10:00:00+01:00',
      '2026-02-28T10:00:00+01:00',
    ],
    [{ type: 'string', format: 'hostname' }, 'any', 'any'],
    [{ type: 'number' }, ' 1.5 ', 1.5],
    [{ type: 'number' }, '1,5', 'must be a number'],
    [{ type: 'number' }, ' ', 0],
    [{ type: 'number', minimum: 2 }, '1', 'must be 2 or more'],
    [{ type: 'number', maximum: 2 }, '3', 'must be 2 or less'],
    [{ type: 'number', exclusiveMinimum: 2 }, '2', 'must be more than 2'],
    [{ type: 'number', exclusiveMaximum: 2 }, '2', 'must be less than 2'],
    [{ type: 'integer' }, '1.5', 'must be a whole number'],
    [{ type: 'integer', minimum: 0 }, '0', 0],
    [{ type: 'boolean' }, 'true', true],
    [{ type: 'boolean' }, 'maybe', 'must be true or false'],
    [{ enum: ['a', 'b'] }, 'c', 'must be one of the choices'],
    [{ type: 'integer', enum: [1, 2] }, '2', 2],
    [{ oneOf: [{ const: 1 }, { const: true }] }, 'true', true],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, ['b'], ['b']],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, ['c'], 'must be some of the choices'],
    [{ type: 'array', items: { enum: [1, 2] } }, ['2'], [2]],
    [{ type: 'array', items: { enum: ['a', 'b'] }, minItems: 2 }, ['a'], 'needs 2 choices or more'],
    [
      { type: 'array', items: { enum: ['a', 'b'] }, maxItems: 1 },
      ['a', 'b'],
      'takes 1 choices at most',
    ],
    [{ type: 'object' }, '{"a":[1]}', { a: [1] }],
    [{ type: 'object' }, 'a', 'must be an object or a list in JSON'],
    [{ type: 'array', items: { type: 'string' } }, '["x"]', ['x']],
  ] as [object, FieldValue, unknown][])('to %j of %j', (schema, given, expected) => {
    expect(answer(schema, given)).toEqual(expected);
  });

  test('may be missing where it need not be there, whatever the name of the field', () => {
    const fields = [field({ type: 'string' }), field({ type: 'string' }, true)];
    expect(checkForm([{ ...fields[0], name: 'constructor' } as FormField], {})).toEqual({
      values: {},
    });
    expect(checkForm(fields.slice(1), { it: '' })).toEqual({
      values: {},
      errors: { it: 'is needed' },
    });
  });
});
