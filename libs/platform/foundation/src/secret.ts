import { timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';

const REDACTED = '[redacted]';

/** Holds a secret text so that no log, error or body prints it by accident. */
export class Secret {
  readonly #bytes: Buffer;

  constructor(text: string) {
    this.#bytes = Buffer.from(text, 'utf8');
  }

  /** Constant time for equal lengths; different lengths fail at once. */
  equals(candidate: string): boolean {
    const bytes = Buffer.from(candidate, 'utf8');
    return bytes.length === this.#bytes.length && timingSafeEqual(bytes, this.#bytes);
  }

  /** The text itself, for the one caller that must send it. */
  reveal(): string {
    return this.#bytes.toString('utf8');
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}
