import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { explainFault } from '#graph/query';
import { DomainError, type ErrorCode, errorBody } from '#platform/foundation';

/** Hints for errors whose message contains none. */
const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  PQL_SYNTAX: 'resource plexus://pql is the reference of PQL; the tool schema names classes, types and verbs',
  MISSING_PARAMETER: 'give its value in params',
  QUERY_TIMEOUT: 'name a class instead of *, add WITH conditions, take hops away, or raise timeout_ms',
  QUERY_TOO_LARGE: 'name a class instead of *, add WITH conditions, return COUNT(*), or add LIMIT',
  NOT_FOUND: 'find_entity finds entities by a part of their name; findings without a rule lists rules',
  TOO_BUSY: 'the server is at its limit: try again in a second',
  STORE_UNAVAILABLE: 'the service cannot answer now: tell the user',
};
const EXPECTED_MAX = 20;

/**
 * A failure as a tool result, so that a model can correct its request: JSON with `error`, `message`, `hint`,
 * and for a query `position`, `line`, `column` and the line with carets below the error. Without structured
 * content, which would have to match the output schema.
 */
export function toolFailure(error: unknown, pql?: string): CallToolResult {
  const body = errorBody(error, 'none');
  const { expected, ...details } = body.details ?? {};
  const isOfText = error instanceof DomainError && error.code === 'PQL_SYNTAX' && pql !== undefined;
  const told = {
    error: body.error,
    message: body.message,
    ...details,
    ...(Array.isArray(expected) && expected.length > 0 && { expected: expected.slice(0, EXPECTED_MAX) }),
    hint: details['hint'] ?? HINTS[body.error as ErrorCode] ?? 'correct the arguments, or tell the user',
    ...(isOfText && { shown: explainFault(pql, error) }),
  };
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(told, null, 1) }] };
}
