/** Zips of any size, written member by member: plain ones, with 64-bit fields, and faulty ones. */
import { type FileHandle, open } from 'node:fs/promises';
import { crc32, deflateRawSync } from 'node:zlib';

const DEFLATED = 8;
const ENCRYPTED = 1;
const [LOCAL, CENTRAL, END] = ['PK\x03\x04', 'PK\x01\x02', 'PK\x05\x06'];
const [END_64, LOCATOR_64] = ['PK\x06\x06', 'PK\x06\x07'];
const [MAX_16, MAX_32] = [0xffff, 0xffffffff];
const HEAD_BYTES = 30;

export interface TestZipMember {
  readonly name: string;
  /** The content, or pieces of it, each deflated apart. */
  readonly content: string | Buffer | Iterable<string>;
  /** What the zip says in place of what is true. */
  readonly sum?: number;
  readonly size?: number;
  readonly isEncrypted?: boolean;
  /** The content is that of the member before: its bytes are in the zip once. */
  readonly isOverlapping?: boolean;
}

interface Placed {
  readonly name: Buffer;
  readonly flags: number;
  readonly method: number;
  readonly sum: number;
  readonly packed: number;
  readonly size: number;
  readonly at: number;
}

/** Writes a zip; `isLarge` makes every size and place one of 64 bits, as in zips of more than 4 GB. */
export async function writeTestZip(
  path: string,
  members: readonly TestZipMember[],
  isLarge = false,
): Promise<void> {
  const file = await open(path, 'w');
  try {
    const placed: Placed[] = [];
    let at = 0;
    for (const member of members) {
      const last = placed.at(-1);
      if (member.isOverlapping === true && last !== undefined) {
        placed.push({ ...last, name: Buffer.from(member.name) });
        continue;
      }
      const each = await writeMember(file, member, at);
      placed.push(each);
      at += HEAD_BYTES + each.name.length + each.packed;
    }
    await file.write(directory(placed, at, isLarge), 0, undefined, at);
  } finally {
    await file.close();
  }
}

async function writeMember(file: FileHandle, member: TestZipMember, at: number): Promise<Placed> {
  const name = Buffer.from(member.name);
  const pieces =
    typeof member.content === 'string' || Buffer.isBuffer(member.content) ? [member.content] : member.content;
  let [sum, size, packed] = [0, 0, 0];
  for (const piece of [...blocks(pieces), undefined]) {
    // A block that is flushed can be followed by others; an empty last one ends the stream.
    const bytes = piece ?? Buffer.alloc(0);
    const deflated = deflateRawSync(bytes, piece === undefined ? {} : { finishFlush: 2 });
    await file.write(deflated, 0, undefined, at + HEAD_BYTES + name.length + packed);
    [sum, size, packed] = [crc32(bytes, sum), size + bytes.length, packed + deflated.length];
  }
  const flags = member.isEncrypted === true ? ENCRYPTED : 0;
  const facts = {
    name,
    flags,
    method: DEFLATED,
    sum: member.sum ?? sum,
    packed,
    size: member.size ?? size,
    at,
  };
  await file.write(localHead(facts), 0, undefined, at);
  return facts;
}

/** Pieces are joined to blocks that are worth deflating. */
function* blocks(pieces: Iterable<string | Buffer>): Generator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    const next = Buffer.from(piece);
    held.push(next);
    bytes += next.length;
    if (bytes < 1_048_576) continue;
    yield Buffer.concat(held);
    [held, bytes] = [[], 0];
  }
  yield Buffer.concat(held);
}

function fields(...values: readonly (readonly [number, number])[]): Buffer {
  return Buffer.concat(
    values.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      if (bytes === 8) field.writeBigUInt64LE(BigInt(value));
      else field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
}

function localHead({ name, flags, method, sum, packed, size }: Placed): Buffer {
  const common = fields(
    [2, 20],
    [2, flags],
    [2, method],
    [4, 0],
    [4, sum],
    [4, packed],
    [4, size],
    [2, name.length],
    [2, 0],
  );
  return Buffer.concat([Buffer.from(LOCAL, 'latin1'), common, name]);
}

function directory(placed: readonly Placed[], start: number, isLarge: boolean): Buffer {
  const entries = Buffer.concat(placed.map((each) => centralEntry(each, isLarge)));
  const count = placed.length;
  const small = fields([2, 0], [2, 0], [2, isLarge ? MAX_16 : count], [2, isLarge ? MAX_16 : count]);
  const places = fields([4, isLarge ? MAX_32 : entries.length], [4, isLarge ? MAX_32 : start], [2, 0]);
  const end = Buffer.concat([Buffer.from(END, 'latin1'), small, places]);
  if (!isLarge) return Buffer.concat([entries, end]);
  const facts = fields(
    [8, 44],
    [2, 45],
    [2, 45],
    [4, 0],
    [4, 0],
    [8, count],
    [8, count],
    [8, entries.length],
    [8, start],
  );
  const end64 = Buffer.concat([Buffer.from(END_64, 'latin1'), facts]);
  const locator = Buffer.concat([
    Buffer.from(LOCATOR_64, 'latin1'),
    fields([4, 0], [8, start + entries.length], [4, 1]),
  ]);
  return Buffer.concat([entries, end64, locator, end]);
}

function centralEntry({ name, flags, method, sum, packed, size, at }: Placed, isLarge: boolean): Buffer {
  const extra = isLarge ? fields([2, 1], [2, 24], [8, size], [8, packed], [8, at]) : Buffer.alloc(0);
  const [p, s, place] = isLarge ? [MAX_32, MAX_32, MAX_32] : [packed, size, at];
  const head = fields(
    [2, 20],
    [2, 20],
    [2, flags],
    [2, method],
    [4, 0],
    [4, sum],
    [4, p],
    [4, s],
    [2, name.length],
  );
  const rest = fields([2, extra.length], [2, 0], [2, 0], [2, 0], [4, 0], [4, place]);
  return Buffer.concat([Buffer.from(CENTRAL, 'latin1'), head, rest, name, extra]);
}
