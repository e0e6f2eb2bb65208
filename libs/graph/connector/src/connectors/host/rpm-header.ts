/**
 * The header of a package, as all databases of rpm hold it: an index of tags and a store of values
 * (https://rpm.org/docs/latest/manual/format_header.html).
 */
import { createHash } from 'node:crypto';
import type { InstalledPackage } from './installed-package.ts';

const TAG = {
  sha1: 269,
  sha256: 273,
  name: 1000,
  version: 1001,
  release: 1002,
  epoch: 1003,
  license: 1014,
  architecture: 1022,
  source: 1044,
};
const INDEX_BYTES = 16;
const INTEGER = 4;
/** The part of the header that the package came with: all but what its installation has added. */
const REGION = 63;
const REGION_BYTES = 16;
const MAGIC = Buffer.from('8eade80100000000', 'hex');
/** Texts: one, a list, and one with translations. */
const TEXTS: ReadonlySet<number> = new Set([6, 8, 9]);
/** Keys of signatures stand in the database like packages. */
const KEYS = 'gpg-pubkey';

/** The packages with these headers, in their order. Throws what `damaged` returns for one that is none. */
export function packagesOfHeaders(
  headers: Iterable<Uint8Array>,
  damaged: (index: number) => Error,
): readonly InstalledPackage[] {
  const packages: InstalledPackage[] = [];
  let index = 0;
  for (const { buffer, byteOffset, length } of headers) {
    const found = packageOf(new DataView(buffer, byteOffset, length));
    if (found === undefined) throw damaged(index);
    if (found.name !== KEYS) packages.push(found);
    index++;
  }
  return packages;
}

function packageOf(header: DataView): InstalledPackage | undefined {
  try {
    const values = valuesOf(header);
    const name = values.get(TAG.name);
    const version = values.get(TAG.version);
    if (name === undefined || version === undefined || !isWhole(header, values)) return undefined;
    const epoch = values.get(TAG.epoch);
    const release = values.get(TAG.release);
    const source = values.get(TAG.source)?.replace(/-[^-]*-[^-]*$/, '');
    return {
      system: 'rpm',
      name,
      version: release === undefined ? version : `${version}-${release}`,
      epoch: epoch === '0' ? undefined : epoch,
      architecture: values.get(TAG.architecture),
      license: values.get(TAG.license),
      source: source === name ? undefined : source,
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Whether it has the checksum of its own; packages of rpm 3 have none. */
function isWhole(header: DataView, values: ReadonlyMap<number, string>): boolean {
  const [algorithm, sum] = values.has(TAG.sha256)
    ? ['sha256', values.get(TAG.sha256)]
    : ['sha1', values.get(TAG.sha1)];
  if (sum === undefined) return true;
  const store = 8 + header.getUint32(0) * INDEX_BYTES;
  if (header.getUint32(8) !== REGION) return false;
  // The end of the region repeats its entry, with the size of its index, below zero.
  const end = header.getUint32(16);
  const sizes = Buffer.alloc(8);
  const count = -header.getInt32(store + end + 8) / INDEX_BYTES;
  sizes.writeUInt32BE(count);
  sizes.writeUInt32BE(end + REGION_BYTES, 4);
  const part = (start: number, length: number): DataView =>
    new DataView(header.buffer, header.byteOffset + start, length);
  const hash = createHash(algorithm)
    .update(MAGIC)
    .update(sizes)
    .update(part(8, count * INDEX_BYTES));
  return hash.update(part(store, end + REGION_BYTES)).digest('hex') === sum;
}

/** The first value of each tag that is read. Throws RangeError for places outside of the header. */
function valuesOf(header: DataView): ReadonlyMap<number, string> {
  const count = header.getUint32(0);
  const store = 8 + count * INDEX_BYTES;
  const wanted = new Set(Object.values(TAG));
  const values = new Map<number, string>();
  for (let index = 0; index < count; index++) {
    const at = 8 + index * INDEX_BYTES;
    const tag = header.getUint32(at);
    if (!wanted.has(tag)) continue;
    const type = header.getUint32(at + 4);
    const place = store + header.getUint32(at + 8);
    if (TEXTS.has(type)) values.set(tag, textAt(header, place));
    else if (type === INTEGER) values.set(tag, String(header.getUint32(place)));
  }
  return values;
}

function textAt(header: DataView, place: number): string {
  let end = place;
  while (header.getUint8(end) !== 0) end++;
  return new TextDecoder().decode(new Uint8Array(header.buffer, header.byteOffset + place, end - place));
}
