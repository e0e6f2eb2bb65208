import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { explainFault } from '#graph/query';
import { DomainError, type ErrorCode, errorBody } from '#platform/foundation';
import { bytesOf, cutOf, fittedItems } from './fitted-items.ts';
import type { PqlReply } from './graph-answers.port.ts';

const LISTS = ['rows', 'groups', 'paths', 'impacted'] as const;
const WARNING_BYTES_MAX = 8 * 1024;
const PLAN_BYTES_MAX = 64 * 1024;
const CLASSES_MAX = 100;

export interface AnswerOptions {
  /** The requested number. */
  readonly limit: number;
  /** How to see the omitted part. */
  readonly hint: string;
}

/** A reply within bounds: the items that the query counts, with its metadata. */
export function pqlAnswer(reply: PqlReply, { limit, hint }: AnswerOptions): Record<string, unknown> {
  const list = LISTS.find((name) => reply[name] !== undefined) ?? 'entities';
  const all = reply[list] ?? [];
  const { items, shortened } = fittedItems(all);
  const hasItems = list !== 'entities' || all.length > 0;
  const cut = hasItems ? cutOf(items.length, reply.count, limit, hint) : undefined;
  const { columns, impacted_by_class: byClass, plan, count, snapshot_version, took_ms } = reply;
  return {
    count,
    ...(columns !== undefined && { columns }),
    ...(hasItems && { [list]: items }),
    ...(byClass !== undefined && { impacted_by_class: firstClasses(byClass) }),
    ...(plan !== undefined && (bytesOf(plan) <= PLAN_BYTES_MAX ? { plan } : { plan_left_out: 'too large' })),
    warnings: fittedItems(reply.warnings, WARNING_BYTES_MAX).items,
    ...(cut !== undefined && { cut }),
    ...(shortened > 0 && { shortened }),
    snapshot_version,
    took_ms,
  };
}

/** The classes with most entities. */
function firstClasses(byClass: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const sorted = Object.entries(byClass).sort(([, a], [, b]) => b - a);
  return Object.fromEntries(sorted.slice(0, CLASSES_MAX));
}

/** Hints for errors whose message contains none. */
const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  PQL_SYNTAX: 'resource plexus://pql is the reference of PQL; the tool schema names classes, types and verbs',
  MISSING_PARAMETER: 'give its value in params',
  QUERY_TIMEOUT: 'name a class instead of *, add WITH conditions, take hops away, or raise timeout_ms',
  QUERY_TOO_LARGE: 'name a class instead of *, add WITH conditions, return COUNT(*), or add LIMIT',
  NOT_FOUND: 'find_entity finds entities by a part of their name; findings without a rule lists rules',
  TOO_BUSY: 'the server is at its limit: try again in a second',
  NO_DISK_SPACE: 'the service cannot answer now: tell the user',
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
  const shown = {
    error: body.error,
    message: body.message,
    ...details,
    ...(Array.isArray(expected) && expected.length > 0 && { expected: expected.slice(0, EXPECTED_MAX) }),
    hint: details['hint'] ?? HINTS[body.error as ErrorCode] ?? 'correct the arguments, or tell the user',
    ...(isOfText && { shown: explainFault(pql, error) }),
  };
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(shown, null, 1) }] };
}
