/**
 * The database of rpm in Berkeley DB, up to 4.15 (RHEL 8, Amazon Linux 2): a hash of numbers to headers of
 * packages (https://github.com/berkeleydb/libdb/blob/v5.3.28/src/dbinc/db_page.h). A long value is a chain of
 * pages of its own.
 */
import { DomainError } from '#platform/foundation';
import type { InstalledPackage } from './installed-package.ts';
import { packagesOfHeaders } from './rpm-header.ts';

const MAGIC = 0x0006_1561;
const HASH_META_PAGE = 8;
const OVERFLOW_PAGE = 7;
/** Of Berkeley DB before and since 4.6. */
const HASH_PAGES: ReadonlySet<number> = new Set([2, 13]);
const PAGE_HEAD_BYTES = 26;
const PLAIN_ITEM = 1;
const OVERFLOW_ITEM = 3;
const NO_PAGE = 0;
/** The key of the number of the last package. */
const LAST_NUMBER = '00000000';

/** Throws INVALID_REQUEST for bytes that are none, or are damaged. */
export function readRpmBerkeley(bytes: Uint8Array): readonly InstalledPackage[] {
  try {
    const headers = new BerkeleyHash(bytes).values();
    return packagesOfHeaders(headers, (index) => refusal(`the header of a package in value ${index + 1}`));
  } catch (error) {
    if (error instanceof RangeError) throw refusal('a whole database of rpm, got one that is cut');
    throw error;
  }
}

class BerkeleyHash {
  readonly #view: DataView;
  readonly #isLittle: boolean;
  readonly #pageBytes: number;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#isLittle = this.#view.getUint32(12, true) === MAGIC;
    this.#pageBytes = this.#word(20);
    const [encryption, type, flags] = [24, 25, 26].map((at) => this.#view.getUint8(at));
    const isPlain = encryption === 0 && flags === 0;
    if (this.#word(12) !== MAGIC || type !== HASH_META_PAGE || !isPlain || this.#pageBytes < 512)
      throw refusal('a hash of Berkeley DB, got another file');
  }

  /** The headers of packages. */
  *values(): Iterable<Uint8Array> {
    const last = this.#word(32);
    if ((last + 1) * this.#pageBytes > this.#view.byteLength) throw new RangeError('outside of the file');
    const keys = new Set<string>();
    for (let page = 1; page <= last; page++) {
      const start = this.#pageAt(page);
      if (!HASH_PAGES.has(this.#view.getUint8(start + 25))) continue;
      const count = this.#half(start + 20);
      for (let index = 0; index + 1 < count; index += 2) {
        const key = Buffer.from(this.#item(start, index)).toString('hex');
        if (keys.has(key)) throw refusal(`one value of the key ${key}, got two`);
        keys.add(key);
        if (key !== LAST_NUMBER) yield this.#item(start, index + 1);
      }
    }
    const stated = this.#word(88);
    if (keys.size < stated) throw refusal(`${stated} keys, got ${keys.size}`);
  }

  /** Each page has its number; one that was never written has none. */
  #pageAt(page: number): number {
    const start = page * this.#pageBytes;
    const stated = this.#word(start + 8);
    if (stated !== page && (stated !== 0 || this.#view.getUint8(start + 25) !== 0))
      throw refusal(`page ${page}, got ${stated} at byte ${start}`);
    return start;
  }

  /** Items lie from the end of the page to its beginning. */
  #item(page: number, index: number): Uint8Array {
    const placeOf = (which: number): number => this.#half(page + PAGE_HEAD_BYTES + which * 2);
    const start = page + placeOf(index);
    const end = index === 0 ? page + this.#pageBytes : page + placeOf(index - 1);
    const type = this.#view.getUint8(start);
    if (type === PLAIN_ITEM) return this.#bytes(start + 1, end);
    if (type === OVERFLOW_ITEM) return this.#chain(this.#word(start + 4), this.#word(start + 8));
    throw refusal(`an item of the kind ${PLAIN_ITEM} or ${OVERFLOW_ITEM}, got ${type} at byte ${start}`);
  }

  #chain(first: number, length: number): Uint8Array {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for (let page = first; page !== NO_PAGE && bytes < length;) {
      const start = this.#pageAt(page);
      const used = this.#half(start + 22);
      if (this.#view.getUint8(start + 25) !== OVERFLOW_PAGE || used === 0)
        throw refusal(`a page of a long value at byte ${start}`);
      pieces.push(this.#bytes(start + PAGE_HEAD_BYTES, start + PAGE_HEAD_BYTES + used));
      bytes += used;
      page = this.#word(start + 16);
    }
    if (bytes !== length) throw refusal(`a value of ${length} bytes, got ${bytes}`);
    return Buffer.concat(pieces);
  }

  #bytes(start: number, end: number): Uint8Array {
    if (end < start || end > this.#view.byteLength) throw new RangeError('outside of the file');
    return new Uint8Array(this.#view.buffer, this.#view.byteOffset + start, end - start);
  }

  #word(at: number): number {
    return this.#view.getUint32(at, this.#isLittle);
  }

  #half(at: number): number {
    return this.#view.getUint16(at, this.#isLittle);
  }
}

function refusal(expected: string): DomainError {
  return new DomainError('INVALID_REQUEST', `expected ${expected} in Packages`);
}
