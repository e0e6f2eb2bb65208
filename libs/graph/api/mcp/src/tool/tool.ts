import { z } from 'zod';
import type { Permission } from '#platform/auth';
import { DomainError } from '#platform/foundation';
import type { GraphAnswers } from '../answers/graph-answers.port.ts';

/** A JSON Schema of an object, as clients receive it. */
export interface ObjectSchema {
  readonly [name: string]: unknown;
  readonly type: 'object';
}

export interface ToolContext {
  readonly answers: GraphAnswers;
  /** Aborted when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
}

export type ToolAnswer = Readonly<Record<string, unknown>>;

/** One tool for models. */
export interface Tool {
  readonly name: string;
  /** The permission that it asks of its callers. */
  readonly requires: Permission;
  /** Whether it answers a caller with a scope from that scope. */
  readonly keepsScope: boolean;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  /** Throws INVALID_REQUEST for invalid arguments. */
  call(args: unknown, context: ToolContext): Promise<ToolAnswer>;
}

interface ToolDefinition<Input extends z.ZodObject> {
  readonly name: string;
  readonly requires: Permission;
  readonly keepsScope: boolean;
  readonly title: string;
  /** Describes the result for a model, with one example. */
  readonly description: string;
  readonly input: Input;
  readonly output: z.ZodObject;
  readonly answer: (args: z.output<Input>, context: ToolContext) => Promise<ToolAnswer>;
}

export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool {
  const { input, output, answer, ...named } = definition;
  return {
    ...named,
    inputSchema: schemaOf(input),
    outputSchema: schemaOf(output),
    call: async (args, context) => {
      const read = input.safeParse(args ?? {});
      if (!read.success) throw argumentFault(read.error, Object.keys(input.shape));
      return answer(read.data, context);
    },
  };
}

function schemaOf(shape: z.ZodObject): ObjectSchema {
  return { ...z.toJSONSchema(shape, { target: 'draft-7', io: 'input' }), type: 'object' };
}

function argumentFault({ issues }: z.ZodError, known: readonly string[]): DomainError {
  const [issue] = issues;
  const path = issue?.path.map(String).join('.') ?? '';
  const message = issue?.message ?? 'not valid';
  const details = { field: path === '' ? 'arguments' : path, hint: `arguments: ${known.join(', ')}` };
  return new DomainError('INVALID_REQUEST', path === '' ? message : `${path}: ${message}`, { details });
}
