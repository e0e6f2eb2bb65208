/** The result of a check. */
import { errorCodeOf } from '#platform/foundation';

/** `unknown`: too few observations, or the database was unavailable; not a pass. */
export type Verdict = 'held' | 'broken' | 'unknown';

export interface Finding {
  readonly verdict: Verdict;
  /** How much was observed, or why it was too little; for messages. */
  readonly seen: string;
  /** The first violations. */
  readonly violations: readonly string[];
}

const VIOLATIONS_SHOWN = 5;
/** The database does not answer in time: that proves nothing about its durability. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['STORE_UNAVAILABLE', 'NOT_CAUGHT_UP']);

/** `isEnough`: whether the observations would have shown an existing fault. */
export function found(violations: readonly string[], seen: string, isEnough: boolean): Finding {
  if (violations.length > 0)
    return { verdict: 'broken', seen, violations: violations.slice(0, VIOLATIONS_SHOWN) };
  return { verdict: isEnough ? 'held' : 'unknown', seen, violations: [] };
}

/** The result of a check that did not finish. */
export function failed(error: unknown): Finding {
  const reason = error instanceof Error ? error.message : String(error);
  const code = errorCodeOf(error);
  const isCorrupt = error instanceof Error && errorCodeOf(error.cause) === 'STORE_CORRUPT';
  if (code !== undefined && !isCorrupt && SAYS_NOTHING.has(code))
    return { verdict: 'unknown', seen: reason, violations: [] };
  return { verdict: 'broken', seen: 'a request failed', violations: [reason] };
}
