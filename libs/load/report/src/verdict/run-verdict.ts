/**
 * What a run came to, in one word, with every reason for it: the one place that says so. Report, JUnit, page,
 * command line and the list of runs show what stands here, in these words.
 *
 *   failed        something that was promised is broken: the run, a check, a threshold
 *   unknown       nothing is, but not all was looked at
 *   reservations  all was looked at, and not all of it went as it should
 *   held          neither
 */
import { REASON_RULES } from './reason-rules.ts';
import type { VerdictFacts } from './verdict-facts.ts';

export type VerdictState = 'held' | 'reservations' | 'failed' | 'unknown';

export interface VerdictReason {
  readonly code: ReasonCode;
  readonly message: string;
  /** Of what the message speaks of: violations, transactions, accounts, messages. */
  readonly count: number;
}

export interface RunVerdict {
  readonly state: VerdictState;
  /** The gravest first; none when it held. */
  readonly reasons: readonly VerdictReason[];
}

export type ReasonCode = (typeof REASON_RULES)[number]['code'];

/** How a headline begins. */
const HEADS: Readonly<Record<VerdictState, string>> = {
  held: 'It held: every promise checked, every threshold met',
  reservations: 'Finished with reservations',
  failed: 'It did not hold',
  unknown: 'Unknown',
};

const STATES = { failed: 'failed', unknown: 'unknown', reservation: 'reservations' } as const;
const GRAVITY = Object.keys(STATES) as readonly (keyof typeof STATES)[];
const RULE_OF = new Map(REASON_RULES.map((rule) => [rule.code, rule]));

export function verdictOf(facts: VerdictFacts): RunVerdict {
  const found = REASON_RULES.flatMap(({ code, gravity, find }) =>
    find(facts).map((reason) => ({ gravity, reason: { code, ...reason } })),
  );
  const gravest = GRAVITY.find((gravity) => found.some((one) => one.gravity === gravity));
  const reasons = GRAVITY.flatMap((gravity) =>
    found.filter((one) => one.gravity === gravity).map(({ reason }) => reason),
  );
  return { state: gravest === undefined ? 'held' : STATES[gravest], reasons };
}

/** The first words of a headline, which tell the state. */
export function headOf({ state }: RunVerdict): string {
  return HEADS[state];
}

/** A headline with what decided it. */
export function headlineOf(verdict: RunVerdict): string {
  const deciding = decidingReasons(verdict).map(({ message }) => message);
  return deciding.length === 0 ? headOf(verdict) : `${headOf(verdict)}: ${deciding.join('; ')}`;
}

/** What a shell learns: the first of 1, 11, 10 and 12 that applies. */
export function exitCodeOf(
  { state, reasons }: RunVerdict,
  { allowsUnknown, isStrict }: { readonly allowsUnknown: boolean; readonly isStrict: boolean },
): 0 | 1 | 10 | 11 | 12 {
  const codes = new Set(reasons.map(({ code }) => RULE_OF.get(code)?.exit ?? 0));
  for (const exit of [1, 11, 10] as const) if (codes.has(exit)) return exit;
  if (state === 'unknown' && !allowsUnknown) return 12;
  return isStrict && reasons.some(({ code }) => RULE_OF.get(code)?.gravity === 'reservation') ? 10 : 0;
}

/** The reasons that make the state what it is. */
export function decidingReasons({ state, reasons }: RunVerdict): readonly VerdictReason[] {
  return reasons.filter(({ code }) => {
    const gravity = RULE_OF.get(code)?.gravity;
    return gravity !== undefined && STATES[gravity] === state;
  });
}
