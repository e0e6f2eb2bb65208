/**
 * A file of bbolt (version 2), the form of Trivy's database. Each bucket is one leaf page, as long as it has
 * to be, so that there are no branches.
 */
import { Buffer } from 'node:buffer';

const PAGE = 4_096;
const HEADER_BYTES = 16;
const ELEMENT_BYTES = 16;
const CHECKSUM_AT = 56;
const MAGIC = 0xed_0c_da_ed;
const VERSION = 2;
const IS_LEAF = 2;
const IS_META = 4;
const IS_FREELIST = 16;
const IS_BUCKET = 1;
const FREELIST_AT = 2;

/** The bytes of a file with these buckets: in each map, a text is a value and a map a bucket. */
export function boltFile(root) {
  const pages = [];
  let end = FREELIST_AT + 1;
  const add = (bucket) => {
    const entries = [...bucket].map(([key, value]) => ({
      key: Buffer.from(key),
      isBucket: typeof value !== 'string',
      value: typeof value === 'string' ? Buffer.from(value) : bucketValue(add(value)),
    }));
    const at = end;
    const page = pageOf(
      at,
      IS_LEAF,
      leaf(entries.toSorted((a, b) => Buffer.compare(a.key, b.key))),
      entries.length,
    );
    pages.push(page);
    end += page.length / PAGE;
    return at;
  };
  const rootPage = add(root);
  const metas = [0, 1].map((id) => pageOf(id, IS_META, meta(id, rootPage, end), 0));
  return Buffer.concat([...metas, pageOf(FREELIST_AT, IS_FREELIST, Buffer.alloc(0), 0), ...pages]);
}

/** Positions count from their element. */
function leaf(entries) {
  const elements = Buffer.alloc(entries.length * ELEMENT_BYTES);
  let position = elements.length;
  for (const [index, { key, value, isBucket }] of entries.entries()) {
    const at = index * ELEMENT_BYTES;
    elements.writeUInt32LE(isBucket ? IS_BUCKET : 0, at);
    elements.writeUInt32LE(position - at, at + 4);
    elements.writeUInt32LE(key.length, at + 8);
    elements.writeUInt32LE(value.length, at + 12);
    position += key.length + value.length;
  }
  return Buffer.concat([elements, ...entries.flatMap(({ key, value }) => [key, value])]);
}

function bucketValue(page) {
  const value = Buffer.alloc(16);
  value.writeBigUInt64LE(BigInt(page), 0);
  return value;
}

function pageOf(id, flags, body, count) {
  const pages = Math.ceil((HEADER_BYTES + body.length) / PAGE);
  const page = Buffer.alloc(pages * PAGE);
  page.writeBigUInt64LE(BigInt(id), 0);
  page.writeUInt16LE(flags, 8);
  page.writeUInt16LE(count, 10);
  page.writeUInt32LE(pages - 1, 12);
  body.copy(page, HEADER_BYTES);
  return page;
}

function meta(transaction, root, end) {
  const bytes = Buffer.alloc(CHECKSUM_AT + 8);
  bytes.writeUInt32LE(MAGIC, 0);
  bytes.writeUInt32LE(VERSION, 4);
  bytes.writeUInt32LE(PAGE, 8);
  bytes.writeBigUInt64LE(BigInt(root), 16);
  bytes.writeBigUInt64LE(BigInt(FREELIST_AT), 32);
  bytes.writeBigUInt64LE(BigInt(end), 40);
  bytes.writeBigUInt64LE(BigInt(transaction), 48);
  bytes.writeBigUInt64LE(fnv1a(bytes.subarray(0, CHECKSUM_AT)), CHECKSUM_AT);
  return bytes;
}

function fnv1a(bytes) {
  let hash = 0xcb_f2_9c_e4_84_22_23_25n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x1_00_00_00_01_b3n);
  return hash;
}
