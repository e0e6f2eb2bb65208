import { timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';

const REDACTED = '[redacted]';

/** Holds a secret text so that no log, error or body can print it by accident. */
export class Secret {
  readonly #bytes: Buffer;

  constructor(text: string) {
    this.#bytes = Buffer.from(text, 'utf8');
  }

  /** Constant time: different lengths fail at once, equal lengths are compared over every byte. */
  equals(candidate: string): boolean {
    const bytes = Buffer.from(candidate, 'utf8');
    return bytes.length === this.#bytes.length && timingSafeEqual(bytes, this.#bytes);
  }

  /** The text itself, for the one place that has to send it on. */
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
