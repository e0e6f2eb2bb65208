/**
 * What an upstream sends before its answer: `100 Continue` that nobody asked for is left out. undici takes it
 * for nonsense, but a client has to bear it (RFC 9110, 15.2). Hot path: one look at the start of an answer.
 */
import { BlankLine } from './blank-line.ts';

/** `HTTP/1.1 103` */
const STATUS_BYTES = 12;
const INTERIM = /^HTTP\/1\.[01] 1\d\d$/;
const CONTINUE = /100$/;
const SWITCHING = /101$/;
const INTERIM_MAX = 1_000;
const NOTHING = Buffer.alloc(0);
const ONE = 0x31;

type Place = 'start' | 'kept' | 'dropped' | 'answer';

export class InterimFilter {
  readonly #blankLine = new BlankLine();
  #place: Place = 'answer';
  #start: Buffer = NOTHING;
  #count = 0;

  /** An answer is awaited from now on. */
  begin(): void {
    this.#place = 'start';
    this.#start = NOTHING;
    this.#count = 0;
  }

  /** More of them than any upstream has reason to send. */
  get isFlooded(): boolean {
    return this.#count > INTERIM_MAX;
  }

  /** What is left of it. */
  pass(chunk: Buffer): Buffer {
    if (this.#place === 'answer') return chunk;
    if (this.#place === 'start' && this.#start.length === 0 && isFinal(chunk)) {
      this.#place = 'answer';
      return chunk;
    }
    return this.#sift(chunk);
  }

  #sift(chunk: Buffer): Buffer {
    const kept: Buffer[] = [];
    let rest = chunk;
    while (rest.length > 0 && !this.isFlooded) {
      if (this.#place === 'answer') break;
      if (this.#place === 'start') {
        rest = this.#start.length === 0 ? rest : Buffer.concat([this.#start, rest]);
        this.#start = NOTHING;
        if (!this.#look(rest)) return Buffer.concat(kept);
        continue;
      }
      const end = this.#blankLine.endIn(rest, 0);
      const part = end === -1 ? rest : rest.subarray(0, end);
      if (this.#place === 'kept') kept.push(part);
      rest = rest.subarray(part.length);
      if (end !== -1) this.#place = 'start';
    }
    if (this.#place === 'answer') kept.push(rest);
    return kept.length === 1 ? kept[0]! : Buffer.concat(kept);
  }

  /** Where a head begins. Gives false while it cannot be told. */
  #look(rest: Buffer): boolean {
    if (rest.length < STATUS_BYTES && 'HTTP/1.'.startsWith(rest.toString('latin1', 0, 7))) {
      this.#start = rest;
      return false;
    }
    const status = rest.toString('latin1', 0, STATUS_BYTES);
    if (!INTERIM.test(status) || SWITCHING.test(status)) {
      this.#place = 'answer';
      return true;
    }
    this.#count += 1;
    this.#blankLine.reset();
    this.#place = CONTINUE.test(status) ? 'dropped' : 'kept';
    return true;
  }
}

function isFinal(chunk: Buffer): boolean {
  return chunk.length >= STATUS_BYTES && chunk[9] !== ONE;
}
