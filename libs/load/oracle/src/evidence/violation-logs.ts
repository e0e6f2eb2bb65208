import type { Violation } from './violation.ts';
import { ViolationLog } from './violation-log.ts';

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
