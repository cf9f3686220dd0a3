/** Turns a tool's definition into the tool that a protocol server lists and calls. */
import { z } from 'zod';
import { BridgeError } from '../core/errors.ts';
import type { Tool, ToolDefinition } from './tool.ts';

/**
 * Builds a tool whose arguments are parsed before its work starts. Keys that the schema does not
 * know are ignored: clients add their own.
 */
export function defineTool<Shape extends z.ZodRawShape>(definition: ToolDefinition<Shape>): Tool {
  const { name, description, input } = definition;
  return {
    name,
    description,
    inputSchema: z.toJSONSchema(input, { target: 'draft-7', io: 'input' }),
    async call(args, context) {
      const parsed = input.safeParse(args ?? {});
      if (!parsed.success) throw invalidArgument(name, parsed.error);
      return definition.handle(parsed.data, context);
    },
  };
}

function invalidArgument(tool: string, error: z.ZodError): BridgeError {
  const faults = error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}`,
  );
  return new BridgeError('invalid-argument', `${tool}: ${faults.join('; ')}`);
}
