/**
 * Filters an upstream's output up to its final response, before undici parses it. Hot path: one check of its
 * start.
 *
 * 1. An unrequested `100 Continue` is dropped: undici treats it as an error, but a client has to accept it
 *    (RFC 9110, 15.2).
 * 2. Interim responses are bounded, in number and in bytes.
 * 3. undici's parser also accepts RTSP, ICE and other versions of HTTP without reporting it: these are
 *    faults, as is an unrequested change of protocol.
 */
import { BlankLine } from './blank-line.ts';

/** `HTTP/1.1 103` */
const STATUS_BYTES = 12;
const INTERIM = /^HTTP\/1\.[01] 1\d\d$/;
const CONTINUE = /100$/;
const SWITCHING = /101$/;
const PROTOCOLS = ['HTTP/', 'RTSP/', 'ICE/'];
const OTHER_PROTOCOL = /^(?:HTTP\/(?!1\.[01] )|RTSP\/|ICE\/)/;
const INTERIM_MAX = 1_000;
const INTERIM_BYTES_MAX = 1_048_576;
const FLOOD = 'ERR_HTTP_INTERIM_FLOOD';
const NOTHING = Buffer.alloc(0);
const UPPER_H = 0x48;
const ONE = 0x31;
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

type Place = 'start' | 'kept' | 'dropped' | 'answer';

/** The upstream's output is not a valid response. */
export class InterimFault extends Error {
  readonly code: string;

  constructor(message: string, code = 'ERR_HTTP_UNFIT_ANSWER') {
    super(message);
    this.code = code;
  }
}

export class InterimFilter {
  readonly #blankLine = new BlankLine();
  #place: Place = 'answer';
  #start: Buffer = NOTHING;
  #count = 0;
  #bytes = 0;
  #isSwitchAsked = false;
  #fault: InterimFault | undefined;

  /** Expects a response; `isSwitchAsked`: it may be a change of protocol. */
  begin(isSwitchAsked: boolean): void {
    this.#place = 'start';
    this.#start = NOTHING;
    this.#count = 0;
    this.#bytes = 0;
    this.#isSwitchAsked = isSwitchAsked;
  }

  /** The reason to stop reading; the output of `pass` is useless then. */
  get fault(): InterimFault | undefined {
    return this.#fault;
  }

  /** Returns the part that undici should parse. */
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
    while (rest.length > 0 && this.#fault === undefined && this.#place !== 'answer') {
      if (this.#place === 'start') {
        rest = this.#skipEmptyLines(this.#start.length === 0 ? rest : Buffer.concat([this.#start, rest]));
        this.#start = NOTHING;
        if (!this.#look(rest)) return Buffer.concat(kept);
        continue;
      }
      const end = this.#blankLine.endIn(rest, 0);
      const part = end === -1 ? rest : rest.subarray(0, end);
      if (this.#place === 'kept') kept.push(part);
      rest = rest.subarray(part.length);
      this.#countBytes(part.length);
      if (end !== -1) this.#place = 'start';
    }
    if (this.#place === 'answer') kept.push(rest);
    return kept.length === 1 ? kept[0]! : Buffer.concat(kept);
  }

  /** As undici's parser does before a status line. */
  #skipEmptyLines(rest: Buffer): Buffer {
    let index = 0;
    while (rest[index] === CARRIAGE_RETURN || rest[index] === LINE_FEED) index += 1;
    this.#countBytes(index);
    return rest.subarray(index);
  }

  /** Checks the start of a head. Returns false while it is incomplete. */
  #look(rest: Buffer): boolean {
    const status = rest.toString('latin1', 0, STATUS_BYTES);
    if (status.length < STATUS_BYTES && PROTOCOLS.some((name) => isBeginning(status, name))) {
      this.#start = rest;
      return false;
    }
    const isInterim = INTERIM.test(status);
    if (OTHER_PROTOCOL.test(status)) this.#fault = new InterimFault('an answer in another protocol');
    else if (!isInterim) this.#place = 'answer';
    else if (SWITCHING.test(status)) this.#switch();
    else this.#countInterim(CONTINUE.test(status));
    return true;
  }

  #switch(): void {
    if (this.#isSwitchAsked) this.#place = 'answer';
    else this.#fault = new InterimFault('an unrequested protocol change');
  }

  #countInterim(isDropped: boolean): void {
    this.#count += 1;
    this.#blankLine.reset();
    this.#place = isDropped ? 'dropped' : 'kept';
    if (this.#count > INTERIM_MAX) this.#fault = new InterimFault('too many interim answers', FLOOD);
  }

  #countBytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > INTERIM_BYTES_MAX) this.#fault = new InterimFault('too much before an answer', FLOOD);
  }
}

/** Whether one is a prefix of the other. */
function isBeginning(text: string, name: string): boolean {
  return text.startsWith(name) || name.startsWith(text);
}

/**
 * `HTTP/1.1 200`, judged by the `H`, the `1` of the version, and a first digit of the status other than `1`.
 */
function isFinal(chunk: Buffer): boolean {
  return chunk.length >= STATUS_BYTES && chunk[9] !== ONE && chunk[0] === UPPER_H && chunk[5] === ONE;
}
