/**
 * The database of rpm in its own format, which SUSE uses (`Packages.db`): pages of slots, each with the place
 * of a blob, which is the header of a package between a head and a tail with a checksum. All numbers are
 * little-endian (https://github.com/rpm-software-management/rpm/blob/rpm-4.18.0-release/lib/backend/ndb).
 */
import { DomainError } from '#platform/foundation';
import type { InstalledPackage } from './installed-package.ts';
import { packagesOfHeaders } from './rpm-header.ts';

const MAGIC = { file: magicOf('RpmP'), slot: magicOf('Slot'), head: magicOf('BlbS'), tail: magicOf('BlbE') };
const VERSION = 0;
const PAGE_BYTES = 4096;
/** A slot, the unit of places, and the head of a blob. */
const BLOCK_BYTES = 16;
const FILE_HEAD_BYTES = 32;
const TAIL_BYTES = 12;

/** Throws INVALID_REQUEST for bytes that are none, or are damaged. */
export function readRpmNdb(bytes: Uint8Array): readonly InstalledPackage[] {
  try {
    return packagesOfHeaders(headersIn(bytes), (index) =>
      refusal(`the header of a package in blob ${index + 1}`),
    );
  } catch (error) {
    if (error instanceof RangeError) throw refusal('a whole database of rpm, got one that is cut');
    throw error;
  }
}

/** In the order of their numbers, which is that of their installation. */
function headersIn(bytes: Uint8Array): Iterable<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(0, true) !== MAGIC.file || view.getUint32(4, true) !== VERSION)
    throw refusal('a database of rpm of its own format (ndb), got another file');
  const end = view.getUint32(12, true) * PAGE_BYTES;
  const found = new Map<number, Uint8Array>();
  for (let at = FILE_HEAD_BYTES; at < end; at += BLOCK_BYTES) {
    const [magic, number = 0, place = 0, count = 0] = wordsAt(view, at);
    if (magic !== MAGIC.slot) throw refusal(`a slot at byte ${at}`);
    if (number === 0) continue;
    if (found.has(number)) throw refusal(`one slot of package ${number}, got two`);
    found.set(
      number,
      blobOf(view, { number, start: place * BLOCK_BYTES, end: (place + count) * BLOCK_BYTES }),
    );
  }
  return Array.from(found)
    .sort(([one], [other]) => one - other)
    .map(([, header]) => header);
}

interface Blob {
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

function blobOf(view: DataView, { number, start, end }: Blob): Uint8Array {
  const [magic, stated, , length = 0] = wordsAt(view, start);
  const tail = end - TAIL_BYTES;
  const [sum, again, tailMagic] = [0, 4, 8].map((at) => view.getUint32(tail + at, true));
  const isWhole = magic === MAGIC.head && tailMagic === MAGIC.tail && stated === number && again === length;
  const bytes = new Uint8Array(view.buffer, view.byteOffset + start, tail - start);
  if (!isWhole || start + BLOCK_BYTES + length > tail || adler32(bytes) !== sum)
    throw refusal(`the blob of package ${number} at byte ${start}, got one that is damaged`);
  return bytes.subarray(BLOCK_BYTES, BLOCK_BYTES + length);
}

function wordsAt(view: DataView, at: number): readonly number[] {
  return [0, 4, 8, 12].map((offset) => view.getUint32(at + offset, true));
}

/** RFC 1950. */
function adler32(bytes: Uint8Array): number {
  let [low, high] = [1, 0];
  for (const byte of bytes) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  return ((high << 16) | low) >>> 0;
}

function magicOf(text: string): number {
  return Buffer.from(text, 'latin1').readUInt32LE(0);
}

function refusal(expected: string): DomainError {
  return new DomainError('INVALID_REQUEST', `expected ${expected} in Packages.db`);
}
