/** Headers of packages and databases of rpm, byte by byte, as rpm itself would write them. */
import { createHash } from 'node:crypto';

type Values = Readonly<Record<number, string | number>>;

const words = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeInt32BE(value | 0, index * 4));
  return bytes;
};

interface Parts {
  readonly index: readonly Buffer[];
  readonly store: Buffer;
}

/** Tags with texts, and integers for numbers. */
function partsOf(values: Values): Parts {
  const store: Buffer[] = [];
  let at = 0;
  const index = Object.entries(values).map(([tag, value]) => {
    const bytes = typeof value === 'number' ? words(value) : Buffer.from(`${value}\0`);
    const entry = words(Number(tag), typeof value === 'number' ? 4 : 6, at, 1);
    store.push(bytes);
    at += bytes.length;
    return entry;
  });
  return { index, store: Buffer.concat(store) };
}

function headerOf({ index, store }: Parts): Buffer {
  return Buffer.concat([words(index.length, store.length), ...index, store]);
}

export function rpmHeader(values: Values): Buffer {
  return headerOf(partsOf(values));
}

/** With the checksum of what the package came with, which rpm adds when it installs it. */
export function rpmHeaderWithSum(values: Values): Buffer {
  const { index, store } = partsOf(values);
  const region = [words(63, 7, store.length, 16), ...index];
  const content = Buffer.concat([store, words(63, 7, -region.length * 16, 16)]);
  const magic = Buffer.from('8eade80100000000', 'hex');
  const parts = [magic, words(region.length, content.length), ...region, content];
  const sum = createHash('sha256').update(Buffer.concat(parts)).digest('hex');
  return headerOf({
    index: [...region, words(273, 6, content.length, 1)],
    store: Buffer.concat([content, Buffer.from(`${sum}\0`)]),
  });
}

const littleWords = (...values: readonly number[]): Buffer => words(...values).swap32();

/** `Packages.db`: a page of slots, then the blobs. */
export function ndbDatabase(headers: readonly Buffer[]): Buffer {
  const slots = Array.from({ length: 254 }, () => littleWords(0x746f6c53, 0, 0, 0));
  const blobs: Buffer[] = [];
  let place = 4096;
  headers.forEach((header, index) => {
    const length = Math.ceil((16 + header.length + 12) / 16) * 16;
    const blob = Buffer.alloc(length);
    littleWords(0x53626c42, index + 1, 0, header.length).copy(blob);
    header.copy(blob, 16);
    littleWords(adler32(blob.subarray(0, -12)), header.length, 0x45626c42).copy(blob, length - 12);
    slots[index + 1] = littleWords(0x746f6c53, index + 1, place / 16, length / 16);
    blobs.push(blob);
    place += length;
  });
  return Buffer.concat([littleWords(0x506d7052, 0, 1, 1, headers.length + 1, 0, 0, 0), ...slots, ...blobs]);
}

function adler32(bytes: Buffer): number {
  const low = bytes.reduce((sum, byte) => (sum + byte) % 65_521, 1);
  let sum = 1;
  const high = bytes.reduce((total, byte) => (total + (sum = (sum + byte) % 65_521)) % 65_521, 0);
  return high * 65_536 + low;
}

const PAGE_BYTES = 512;

/** `Packages` of Berkeley DB: a page of facts, one of items, and for each long value a chain of pages. */
export function berkeleyDatabase(headers: readonly Buffer[], isLittle = true): Buffer {
  const chains = headers.map((header) =>
    header.length < 100 ? [] : Array.from({ length: Math.ceil(header.length / 486) }, (_, at) => at),
  );
  const pages: Buffer[] = [];
  const word = (bytes: Buffer, at: number, value: number): unknown =>
    isLittle ? bytes.writeUInt32LE(value, at) : bytes.writeUInt32BE(value, at);
  const half = (bytes: Buffer, at: number, value: number): unknown =>
    isLittle ? bytes.writeUInt16LE(value, at) : bytes.writeUInt16BE(value, at);
  const page = (type: number): Buffer => {
    const bytes = Buffer.alloc(PAGE_BYTES);
    word(bytes, 8, pages.length);
    bytes[25] = type;
    pages.push(bytes);
    return bytes;
  };
  const numberOf = (value: number): Buffer => {
    const bytes = Buffer.alloc(5);
    bytes[0] = 1;
    word(bytes, 1, value);
    return bytes;
  };
  const [facts, list] = [page(8), page(13)];
  const items = [numberOf(0), numberOf(headers.length)];
  headers.forEach((header, index) => {
    items.push(numberOf(index + 1));
    const chain = chains[index] ?? [];
    if (chain.length === 0) {
      items.push(Buffer.concat([Buffer.of(1), header]));
      return;
    }
    const item = Buffer.alloc(12);
    item[0] = 3;
    word(item, 4, pages.length);
    word(item, 8, header.length);
    items.push(item);
    for (const at of chain) {
      const bytes = page(7);
      const part = header.subarray(at * 486, (at + 1) * 486);
      word(bytes, 16, at + 1 < chain.length ? pages.length : 0);
      half(bytes, 22, part.length);
      part.copy(bytes, 26);
    }
  });
  let end = PAGE_BYTES;
  items.forEach((item, index) => {
    end -= item.length;
    item.copy(list, end);
    half(list, 26 + index * 2, end);
  });
  half(list, 20, items.length);
  word(facts, 12, 0x61561);
  word(facts, 20, PAGE_BYTES);
  word(facts, 32, pages.length - 1);
  word(facts, 88, headers.length + 1);
  return Buffer.concat(pages);
}
