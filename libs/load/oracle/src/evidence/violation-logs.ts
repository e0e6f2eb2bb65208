import type { Check, Violation, ViolationFacts } from './verdict.ts';

/**
 * Number of violations kept with evidence; the rest is counted. A broken sequencer may violate with every
 * one.
 */
const KEPT_MAX = 1_000;

/** The violations of one check: all are counted and passed to the listener, the first ones are kept. */
class ViolationLog {
  readonly #kept: Violation[] = [];
  readonly #onViolation: (violation: Violation) => void;
  readonly check: Check;
  count = 0;

  constructor(check: Check, onViolation: (violation: Violation) => void) {
    this.check = check;
    this.#onViolation = onViolation;
  }

  add(facts: ViolationFacts): void {
    const violation: Violation = Object.freeze({ check: this.check, note: null, ...facts });
    this.count += 1;
    if (this.#kept.length < KEPT_MAX) this.#kept.push(violation);
    this.#onViolation(violation);
  }

  get kept(): readonly Violation[] {
    return this.#kept;
  }
}

/** One log for each check. */
export class ViolationLogs {
  readonly nonce: ViolationLog;
  readonly balance: ViolationLog;
  readonly gas: ViolationLog;

  constructor(onViolation: (violation: Violation) => void) {
    this.nonce = new ViolationLog('nonce', onViolation);
    this.balance = new ViolationLog('balance', onViolation);
    this.gas = new ViolationLog('gas', onViolation);
  }
}
