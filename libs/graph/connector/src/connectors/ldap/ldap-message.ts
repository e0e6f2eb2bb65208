/**
 * Replies of a directory server: RFC 4511 in definite lengths (§5.1), as far as a client needs it that binds,
 * searches page by page, and starts TLS. Every element is checked to lie within the one that contains it.
 */
import { isUtf8 } from 'node:buffer';
import { DomainError } from '#platform/foundation';

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  text: 0x04,
  enumerated: 0x0a,
  sequence: 0x30,
  set: 0x31,
  controls: 0xa0,
} as const;
const ENTRY = 0x64;
const REFERENCE = 0x73;
/** The operations of final replies. */
export const LDAP_RESULT = { bind: 0x61, search: 0x65, extended: 0x78 } as const;
const RESULTS: readonly number[] = Object.values(LDAP_RESULT);
const PAGED_RESULTS = '1.2.840.113556.1.4.319';
const LONG_LENGTH = 0x80;
const LENGTH_BYTES_MAX = 4;
const INTEGER_BYTES_MAX = 4;

/** An entry of a directory. */
export interface Entry {
  readonly dn: string;
  /** The values of each attribute that has any, by its name in lower case. */
  readonly attributes: ReadonlyMap<string, readonly Buffer[]>;
}

/** The end of a request. */
export interface LdapResult {
  readonly operation: number;
  readonly code: number;
  readonly diagnostic: string;
  /** The cookie that requests the next page; empty after the last page, and without pages. */
  readonly cookie: Buffer;
}

/** A message of the server. Operations that the client does not know have no content. */
export interface LdapReply {
  /** Number of the request; 0: the server announces its end. */
  readonly id: number;
  readonly entry?: Entry;
  /** Other servers that have further entries. */
  readonly references?: readonly string[];
  readonly result?: LdapResult;
}

/** Splits the bytes of a connection into messages. */
export class LdapMessages {
  #chunks: Buffer[] = [];
  #size = 0;
  /** The size at which the first message may be complete. */
  #awaited = 0;

  /** The messages completed by these bytes. Throws INVALID_REQUEST for bytes that are no LDAP. */
  *read(chunk: Buffer): Generator<LdapReply> {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#awaited) return;
    let bytes: Buffer = Buffer.concat(this.#chunks);
    if (bytes.length > 0 && bytes[0] !== TAG.sequence) throw malformed('a message');
    let extent = extentAt(bytes, 0);
    while (extent !== undefined && extent.end <= bytes.length) {
      yield replyIn(bytes.subarray(0, extent.end));
      bytes = bytes.subarray(extent.end);
      extent = extentAt(bytes, 0);
    }
    this.#chunks = [bytes];
    this.#size = bytes.length;
    this.#awaited = extent?.end ?? bytes.length + 1;
  }
}

/** The positions of an element's content; it may end after the bytes. */
interface Extent {
  readonly start: number;
  readonly end: number;
}

/** Undefined while the tag and length are incomplete. */
function extentAt(bytes: Buffer, at: number): Extent | undefined {
  const first = bytes[at + 1];
  if (first === undefined) return undefined;
  if (first < LONG_LENGTH) return { start: at + 2, end: at + 2 + first };
  const lengthBytes = first - LONG_LENGTH;
  if (lengthBytes === 0 || lengthBytes > LENGTH_BYTES_MAX) throw malformed('a length');
  const start = at + 2 + lengthBytes;
  return bytes.length < start ? undefined : { start, end: start + bytes.readUIntBE(at + 2, lengthBytes) };
}

/** The elements of a content, in order. */
class Elements {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The tag of the next element; undefined at the end. */
  get tag(): number | undefined {
    return this.#bytes[this.#at];
  }

  /** The content of the next element. Throws INVALID_REQUEST for another tag, and one that ends too late. */
  next(tag: number): Buffer {
    if (this.tag !== tag) throw malformed(`an element ${tag}`);
    const extent = extentAt(this.#bytes, this.#at);
    if (extent === undefined || extent.end > this.#bytes.length) throw malformed('a complete element');
    this.#at = extent.end;
    return this.#bytes.subarray(extent.start, extent.end);
  }

  within(tag: number): Elements {
    return new Elements(this.next(tag));
  }

  text(): string {
    return ldapText(this.next(TAG.text));
  }

  integer(tag: number): number {
    const content = this.next(tag);
    if (content.length === 0 || content.length > INTEGER_BYTES_MAX) throw malformed('a number');
    return content.readIntBE(0, content.length);
  }
}

function replyIn(bytes: Buffer): LdapReply {
  const message = new Elements(bytes).within(TAG.sequence);
  const id = message.integer(TAG.integer);
  const operation = message.tag ?? 0;
  const content = message.within(operation);
  if (operation === ENTRY) return { id, entry: entryIn(content) };
  if (operation === REFERENCE) return { id, references: Array.from(contents(content), ldapText) };
  if (!RESULTS.includes(operation)) return { id };
  const code = content.integer(TAG.enumerated);
  content.text();
  return { id, result: { operation, code, diagnostic: content.text(), cookie: cookieIn(message) } };
}

function entryIn(content: Elements): Entry {
  const dn = content.text();
  const attributes = new Map<string, Buffer[]>();
  const list = content.within(TAG.sequence);
  while (list.tag !== undefined) {
    const attribute = list.within(TAG.sequence);
    const name = attribute.text().toLowerCase();
    const values = attributes.get(name) ?? [];
    for (const value of contents(attribute.within(TAG.set))) values.push(value);
    attributes.set(name, values);
  }
  return { dn, attributes };
}

function* contents(list: Elements): Generator<Buffer> {
  while (list.tag !== undefined) yield list.next(TAG.text);
}

/** The cookie of the control for pages (RFC 2696). */
function cookieIn(message: Elements): Buffer {
  const none = Buffer.alloc(0);
  if (message.tag !== TAG.controls) return none;
  const controls = message.within(TAG.controls);
  while (controls.tag !== undefined) {
    const control = controls.within(TAG.sequence);
    if (control.text() !== PAGED_RESULTS) continue;
    if (control.tag === TAG.boolean) control.next(TAG.boolean);
    const page = control.within(TAG.text).within(TAG.sequence);
    page.integer(TAG.integer);
    return page.next(TAG.text);
  }
  return none;
}

/**
 * The text of a value. Of one that is not UTF-8, each byte beyond ASCII is escaped as in names (RFC 4514):
 * with replacement characters, two names would become one.
 */
export function ldapText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const escaped = (byte: number): string => `\\${byte.toString(16)}`;
  return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : escaped(byte))).join('');
}

function malformed(expected: string): DomainError {
  return new DomainError('INVALID_REQUEST', `the server did not send LDAP: expected ${expected}`);
}
