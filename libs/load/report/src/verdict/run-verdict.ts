/**
 * The verdict of a run with all its reasons, defined only here. The report, JUnit, the page, the command line
 * and the list of runs show these texts.
 *
 *   failed        the run, a check or a threshold failed
 *   unknown       no failure, but not everything was checked
 *   reservations  everything was checked, with irregularities
 *   held          everything was checked, without irregularities
 */
import { REASON_RULES } from './reason-rules.ts';
import type { VerdictFacts } from './verdict-facts.ts';

export const VERDICT_STATES = ['held', 'reservations', 'failed', 'unknown'] as const;
export type VerdictState = (typeof VERDICT_STATES)[number];

export interface VerdictReason {
  readonly code: ReasonCode;
  readonly message: string;
  /** Number of the items in the message: violations, transactions, accounts, messages. */
  readonly count: number;
}

export interface RunVerdict {
  readonly state: VerdictState;
  /** The gravest first; empty if it held. */
  readonly reasons: readonly VerdictReason[];
}

export type ReasonCode = (typeof REASON_RULES)[number]['code'];

/** The start of the headline by state. */
const HEADS: Readonly<Record<VerdictState, string>> = {
  held: 'Passed: every promise checked, every threshold met',
  reservations: 'Passed with reservations',
  failed: 'Failed',
  unknown: 'Inconclusive',
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

/** The start of a headline, which states the verdict. */
export function headOf(verdict: RunVerdict): string {
  if (isLimited(verdict)) return LIMITED;
  return isUnderloaded(verdict) ? UNDERLOADED : HEADS[verdict.state];
}

const LIMITED = 'The machine was the limit';

/** Whether what a starved edge gave up decides whether too much failed. */
function isLimited(verdict: RunVerdict): boolean {
  const isOpen = decidingReasons(verdict).some(
    ({ code, message }) => code === 'threshold_not_measured' && message.startsWith('tx_failed_ratio:'),
  );
  return isOpen && verdict.reasons.some(({ code }) => code === 'edge_starved');
}

/** What was not sent says nothing about the target: that comes first. */
const UNDERLOADED = 'The planned load was not reached';

/** Whether nothing else decides the verdict than that less was sent than planned. */
function isUnderloaded(verdict: RunVerdict): boolean {
  const [first, ...others] = verdict.state === 'failed' ? decidingReasons(verdict) : [];
  const isOfRate = first?.code === 'threshold_missed' && first.message.startsWith('achieved_rate_ratio:');
  return isOfRate && others.length === 0;
}

/** The headline with the deciding reasons. */
export function headlineOf(verdict: RunVerdict): string {
  const deciding = decidingReasons(verdict).map(({ message }) => message);
  return deciding.length === 0 ? headOf(verdict) : `${headOf(verdict)}: ${deciding.join('; ')}`;
}

/** The exit code: the first of 1, 11, 10 and 12 that applies. */
export function exitCodeOf(
  { state, reasons }: RunVerdict,
  { allowsUnknown, isStrict }: { readonly allowsUnknown: boolean; readonly isStrict: boolean },
): 0 | 1 | 10 | 11 | 12 {
  const codes = new Set(reasons.map(({ code }) => RULE_OF.get(code)?.exit ?? 0));
  for (const exit of [1, 11, 10] as const) if (codes.has(exit)) return exit;
  if (state === 'unknown' && !allowsUnknown) return 12;
  return isStrict && reasons.some(({ code }) => RULE_OF.get(code)?.gravity === 'reservation') ? 10 : 0;
}

/** The reasons that determine the state. */
export function decidingReasons({ state, reasons }: RunVerdict): readonly VerdictReason[] {
  return reasons.filter(({ code }) => {
    const gravity = RULE_OF.get(code)?.gravity;
    return gravity !== undefined && STATES[gravity] === state;
  });
}
