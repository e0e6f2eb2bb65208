/** What was seen of a promise. */
import { errorCodeOf } from '#platform/foundation';

/** `unknown`: too little was seen, or the database was away; that is no reason for trust. */
export type Verdict = 'held' | 'broken' | 'unknown';

export interface Finding {
  readonly verdict: Verdict;
  /** How much was seen, or why not; for people. */
  readonly seen: string;
  /** The first of what must never be. */
  readonly violations: readonly string[];
}

const VIOLATIONS_SHOWN = 5;
/** The database does not answer, or not in time: that says nothing of what it keeps. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['STORE_UNAVAILABLE', 'NOT_CAUGHT_UP']);

/** `isEnough`: whether what was seen would have shown a fault that is there. */
export function found(violations: readonly string[], seen: string, isEnough: boolean): Finding {
  if (violations.length > 0)
    return { verdict: 'broken', seen, violations: violations.slice(0, VIOLATIONS_SHOWN) };
  return { verdict: isEnough ? 'held' : 'unknown', seen, violations: [] };
}

/** Of a check that could not be ended. */
export function failed(error: unknown): Finding {
  const reason = error instanceof Error ? error.message : String(error);
  const code = errorCodeOf(error);
  const isCorrupt = error instanceof Error && errorCodeOf(error.cause) === 'STORE_CORRUPT';
  if (code !== undefined && !isCorrupt && SAYS_NOTHING.has(code))
    return { verdict: 'unknown', seen: reason, violations: [] };
  return { verdict: 'broken', seen: 'a request failed', violations: [reason] };
}
