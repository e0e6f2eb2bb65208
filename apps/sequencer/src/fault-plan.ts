import { nameHint } from '#platform/config';
import { DomainError } from '#platform/foundation';
import type { Log } from '#platform/observability';

/** The injected faults, by the counted unit; docs/sequencer.md describes each of them. */
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
  'lane_order_every',
  'timeboosted_wrong_every',
  'ignore_conditions_every',
  'sync_receipt_wrong_every',
] as const;

export type FaultName = (typeof FAULT_NAMES)[number];

/** The enabled faults, each with its number. */
export type FaultPlan = Readonly<Partial<Record<FaultName, number>>>;

/** Parses `name=value` texts. Throws INVALID_CONFIG with all errors. */
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
  if (name === undefined) return [`unknown fault ${given}: ${nameHint(given, FAULT_NAMES)}`];
  if (plan[name] !== undefined) return [`${name} is given twice`];
  const value = Number(digits);
  if (value < 1) return [`${name}: expected a number from 1`];
  if (name === 'wrong_chain_header' && value !== 1) return [`${name}: expected 1`];
  plan[name] = value;
  return [];
}

/** Counts the units of faults, determines when one is due, and logs each injected fault. */
export class FaultInjector {
  readonly #plan: FaultPlan;
  readonly #log: Log;
  readonly #counts = new Map<FaultName, number>();

  constructor(plan: FaultPlan, log: Log) {
    this.#plan = plan;
    this.#log = log;
  }

  /** The number of a fault; undefined if it is not enabled. */
  valueOf(name: FaultName): number | undefined {
    return this.#plan[name];
  }

  /** Counts one unit; true for each n-th one, n being the number of the fault. */
  isDue(name: FaultName): boolean {
    const every = this.#plan[name];
    if (every === undefined) return false;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count % every === 0;
  }

  /** Logs an injected fault, with the data needed by tests to locate it. */
  report(name: FaultName, facts: Readonly<Record<string, unknown>>): void {
    this.#log.info({ event: 'sequencer.fault', fault: name, ...facts }, 'fault injected');
  }
}
