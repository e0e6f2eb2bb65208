/**
 * Filters an upstream's output up to the end of its final head, before undici parses it. Hot path: a few
 * searches in the head.
 *
 * 1. Interim responses have no body and say nothing about the connection: their headers of this hop are
 *    dropped, which undici would take for those of the final response. An unrequested `100 Continue` is
 *    dropped: undici treats it as an error, but a client has to accept it (RFC 9110, 15.2).
 * 2. Interim responses are bounded, in number and in bytes.
 * 3. A later minor version is read as 1.1, and a repeated `Content-Length` with one value as one
 *    (RFC 9110, 2.5 and 8.6); undici rejects them.
 * 4. undici's parser also accepts RTSP, ICE and other versions of HTTP without reporting it: these are
 *    faults, as is an unrequested change of protocol.
 */
import { HeadLines } from './head-lines.ts';

/** Length of a status line up to its code: `HTTP/1.1 103`. */
const STATUS_BYTES = 12;
/** The place of its minor version. */
const MINOR = 7;
const INTERIM = /^HTTP\/1\.\d 1\d\d$/;
const FINAL = /^HTTP\/1\.\d [2-9]\d\d$/;
const CONTINUE = /100$/;
const SWITCHING = /101$/;
const PROTOCOLS = ['HTTP/', 'RTSP/', 'ICE/'];
const OTHER_PROTOCOL = /^(?:HTTP\/(?!1\.\d )|RTSP\/|ICE\/)/;
const INTERIM_MAX = 1_000;
const INTERIM_BYTES_MAX = 1_048_576;
const FLOOD = 'ERR_HTTP_INTERIM_FLOOD';
const NOTHING = Buffer.alloc(0);
const UPPER_H = 0x48;
const ZERO = 0x30;
const ONE = 0x31;
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
const END_OF_HEAD = '\r\n\r\n';

/** `answer`: the rest is passed on as it is. */
type Place = 'start' | 'interim' | 'dropped' | 'final' | 'answer';

/** The upstream's output is not a valid response. */
export class InterimFault extends Error {
  readonly code: string;

  constructor(message: string, code = 'ERR_HTTP_UNFIT_ANSWER') {
    super(message);
    this.code = code;
  }
}

export class InterimFilter {
  readonly #lines = new HeadLines();
  #place: Place = 'answer';
  /** The beginning of a status line. */
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
    if (this.#place === 'start' && this.#start.length === 0 && isPlainAnswer(chunk)) {
      this.#place = 'answer';
      return chunk;
    }
    return this.#sift(chunk);
  }

  #sift(chunk: Buffer): Buffer {
    const passed: Buffer[] = [];
    let rest = chunk;
    while (rest.length > 0 && this.#fault === undefined && this.#place !== 'answer') {
      if (this.#place !== 'start') {
        rest = this.#takeLines(rest, passed);
        continue;
      }
      rest = this.#skipEmptyLines(this.#start.length === 0 ? rest : Buffer.concat([this.#start, rest]));
      this.#start = NOTHING;
      if (this.#look(rest)) continue;
      this.#start = rest;
      rest = NOTHING;
    }
    passed.push(rest);
    return passed.length === 1 ? rest : Buffer.concat(passed);
  }

  /** Returns the rest behind the head. */
  #takeLines(rest: Buffer, passed: Buffer[]): Buffer {
    const blank = rest.indexOf(END_OF_HEAD, 0, 'latin1');
    const to = blank === -1 ? rest.length : blank + END_OF_HEAD.length;
    const end = this.#lines.take(rest.toString('latin1', 0, to));
    const kept = this.#lines.flush();
    if (this.#place !== 'dropped' && kept !== '') passed.push(Buffer.from(kept, 'latin1'));
    if (this.#place !== 'final') this.#countBytes(end === -1 ? to : end);
    if (end !== -1) this.#place = this.#place === 'final' ? 'answer' : 'start';
    return rest.subarray(end === -1 ? to : end);
  }

  /** Skips empty lines before a status line, as undici's parser does. */
  #skipEmptyLines(rest: Buffer): Buffer {
    let index = 0;
    while (rest[index] === CARRIAGE_RETURN || rest[index] === LINE_FEED) index += 1;
    this.#countBytes(index);
    return rest.subarray(index);
  }

  /** Judges the start of a head. Returns false while it is incomplete. */
  #look(rest: Buffer): boolean {
    const status = rest.toString('latin1', 0, STATUS_BYTES);
    if (status.length < STATUS_BYTES && PROTOCOLS.some((name) => isBeginning(status, name))) return false;
    const isInterim = INTERIM.test(status);
    if (OTHER_PROTOCOL.test(status)) this.#fault = new InterimFault('an answer in another protocol');
    else if (isInterim && SWITCHING.test(status)) this.#switch();
    else if (isInterim) this.#countInterim(CONTINUE.test(status));
    else this.#place = FINAL.test(status) ? 'final' : 'answer';
    this.#lines.begin(isInterim);
    if (rest[MINOR] !== ZERO && (isInterim || this.#place === 'final')) rest[MINOR] = ONE;
    return true;
  }

  #switch(): void {
    if (this.#isSwitchAsked) this.#place = 'answer';
    else this.#fault = new InterimFault('an unrequested protocol change');
  }

  #countInterim(isDropped: boolean): void {
    this.#count += 1;
    this.#place = isDropped ? 'dropped' : 'interim';
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
 * A complete head of HTTP/1.0 or 1.1 with at most one length: judged by the `H`, the version, a first digit
 * of the status other than `1`, and the places of a word.
 */
function isPlainAnswer(chunk: Buffer): boolean {
  if (chunk.length < STATUS_BYTES || chunk[9] === ONE || chunk[0] !== UPPER_H || chunk[5] !== ONE)
    return false;
  if (chunk[MINOR] !== ONE && chunk[MINOR] !== ZERO) return false;
  const end = chunk.indexOf(END_OF_HEAD, STATUS_BYTES, 'latin1');
  if (end === -1) return false;
  const last = chunk.lastIndexOf('ength:', end, 'latin1');
  if (chunk.lastIndexOf('ENGTH:', end, 'latin1') !== -1) return false;
  return last === -1 || chunk.indexOf('ength:', STATUS_BYTES, 'latin1') === last;
}
