import type { Secret } from '#platform/foundation';
import { failureMessage } from './report-text.ts';
import type { StepLog } from './step.ts';

const DEPTH_MAX = 5;
const MEMBERS_MAX = 100;

/**
 * The log of a step, without the connector's secrets: a module may log a URL or an error that contains one.
 * Never throws for what it is given.
 */
export class RedactedLog implements StepLog {
  readonly #log: StepLog;
  readonly #secrets: readonly Secret[];

  constructor(log: StepLog, secrets: readonly Secret[]) {
    this.#log = log;
    this.#secrets = secrets;
  }

  info(fields: unknown, message: unknown): void {
    this.#log.info(this.#fields(fields), failureMessage(message, this.#secrets));
  }

  warn(fields: unknown, message: unknown): void {
    this.#log.warn(this.#fields(fields), failureMessage(message, this.#secrets));
  }

  #fields(fields: unknown): object {
    try {
      const redacted = this.#redacted(fields, 0);
      return typeof redacted === 'object' && redacted !== null ? redacted : { value: redacted };
    } catch (error) {
      // A getter of a module may throw.
      return { value: `unreadable: ${failureMessage(error, this.#secrets)}` };
    }
  }

  /** Plain data with texts redacted, cut at {@link DEPTH_MAX} and {@link MEMBERS_MAX}. */
  #redacted(value: unknown, depth: number): unknown {
    if (value === null || ['boolean', 'number', 'undefined'].includes(typeof value)) return value;
    if (value instanceof Error) return failureMessage(value, this.#secrets);
    if (typeof value === 'object' && depth < DEPTH_MAX) {
      if (Array.isArray(value))
        return value.slice(0, MEMBERS_MAX).map((item) => this.#redacted(item, depth + 1));
      if (isPlain(value)) {
        const members = Object.entries(value).slice(0, MEMBERS_MAX);
        return Object.fromEntries(members.map(([name, item]) => [name, this.#redacted(item, depth + 1)]));
      }
    }
    return failureMessage(value, this.#secrets);
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
