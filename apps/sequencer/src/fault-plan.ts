import { nameHint } from '#platform/config';
import { DomainError } from '#platform/foundation';
import type { Log } from '#platform/observability';

/** What goes wrong on purpose, by what is counted; docs/sequencer.md says what each of them does. */
export const FAULT_NAMES = [
  'drop_feed_every',
  'duplicate_feed_every',
  'gap_feed_every',
  'delay_feed_ms',
  'reorg_every',
  'disconnect_feed_every',
  'wrong_chain_header',
  'mint_wei_every',
  'steal_wei_every',
  'apply_nonce_twice_every',
  'skip_nonce_every',
  'gas_over_limit_every',
  'http_429_every',
  'hang_every',
  'reset_every',
  'accept_then_drop_every',
  'error_but_include_every',
] as const;

export type FaultName = (typeof FAULT_NAMES)[number];

/** The faults that are wanted, each with its number. */
export type FaultPlan = Readonly<Partial<Record<FaultName, number>>>;

/** Reads `name=value` texts. Throws INVALID_CONFIG with all that is wrong. */
export function parseFaults(texts: readonly string[]): FaultPlan {
  const plan: Partial<Record<FaultName, number>> = {};
  const wrong = texts.flatMap((text) => faultOf(text, plan));
  if (wrong.length > 0) throw new DomainError('INVALID_CONFIG', `invalid --fault: ${wrong.join('; ')}`);
  return plan;
}

function faultOf(text: string, plan: Partial<Record<FaultName, number>>): string[] {
  const [, given = '', digits = ''] = /^([^=]*)=(\d{1,9})$/.exec(text) ?? [];
  if (given === '') return [`expected name=number, got ${JSON.stringify(text)}`];
  const name = FAULT_NAMES.find((candidate) => candidate === given);
  if (name === undefined) return [`no fault is named ${given}: ${nameHint(given, FAULT_NAMES)}`];
  if (plan[name] !== undefined) return [`${name} is given twice`];
  const value = Number(digits);
  if (value < 1) return [`${name}: expected a number from 1`];
  if (name === 'wrong_chain_header' && value !== 1) return [`${name}: expected 1`];
  plan[name] = value;
  return [];
}

/** Counts what faults count, says when one is due, and tells the log of each that was committed. */
export class FaultBoard {
  readonly #plan: FaultPlan;
  readonly #log: Log;
  readonly #counts = new Map<FaultName, number>();

  constructor(plan: FaultPlan, log: Log) {
    this.#plan = plan;
    this.#log = log;
  }

  /** The number that a fault was given; undefined when it is not wanted. */
  valueOf(name: FaultName): number | undefined {
    return this.#plan[name];
  }

  /** Counts one more; true for each n-th, n being the number that the fault was given. */
  isDue(name: FaultName): boolean {
    const every = this.#plan[name];
    if (every === undefined) return false;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count % every === 0;
  }

  /** Tells of a fault that was committed, with what a test needs to find it again. */
  report(name: FaultName, facts: Readonly<Record<string, unknown>>): void {
    this.#log.info({ event: 'sequencer.fault', fault: name, ...facts }, 'committed a fault');
  }
}
