/** The members of a zip, read one after another in pieces: none of them is in memory as a whole. */
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { type Disk, type DiskFile, DiskError } from '#platform/disk';
import { DomainError } from '#platform/foundation';

export interface ZipMember {
  readonly name: string;
  /**
   * The content. Throws INVALID_REQUEST for one that is damaged, encrypted, or far larger than its size in
   * the zip.
   */
  read(): AsyncGenerator<Uint8Array>;
}

const PIECE_BYTES = 65_536;
const MEMBERS_MAX = 10_000;
/** Deflate reaches 1,032; JSON of collectors stays below 60. */
const RATIO_MAX = 250;
const CHECKED_BYTES_MIN = 16_777_216;

/** Calls `use` with the members, which are readable until it ends. Throws INVALID_REQUEST for no zip. */
export async function withZipMembers<Result>(
  disk: Disk,
  path: string,
  use: (members: readonly ZipMember[]) => Promise<Result>,
  { membersMax = MEMBERS_MAX }: { readonly membersMax?: number } = {},
): Promise<Result> {
  const file = await disk.open(path, 'read');
  try {
    const zip = await openZip(file);
    const entries = await entriesOf(zip, membersMax);
    checkEntries(entries, await file.size());
    return await use(entries.map((entry) => memberOf(zip, entry)));
  } finally {
    await file.close();
  }
}

async function openZip(file: DiskFile): Promise<ZipFile> {
  try {
    const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true };
    return await fromRandomAccessReaderPromise(new FileReader(file), await file.size(), options);
  } catch (error) {
    throw fault('expected a zip', error);
  }
}

async function entriesOf(zip: ZipFile, membersMax: number): Promise<readonly Entry[]> {
  if (zip.entryCount > membersMax)
    throw new DomainError('INVALID_REQUEST', `expected at most ${membersMax} members, got ${zip.entryCount}`);
  const entries: Entry[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      zip.on('entry', (entry: Entry) => {
        if (!entry.fileName.endsWith('/')) entries.push(entry);
        zip.readEntry();
      });
      zip.on('end', resolve);
      zip.on('error', reject);
      zip.readEntry();
    });
  } catch (error) {
    throw fault('expected a zip', error);
  }
  return entries;
}

/** Names are those of messages and facts; members that share their bytes stand for more than the zip has. */
function checkEntries(entries: readonly Entry[], zipBytes: number): void {
  const names = new Set<string>();
  let bytes = 0;
  for (const { fileName: name, compressedSize } of entries) {
    if (names.has(name))
      throw new DomainError('INVALID_REQUEST', `expected members of different names, got ${name} twice`);
    names.add(name);
    bytes += compressedSize;
  }
  if (bytes > zipBytes)
    throw new DomainError(
      'INVALID_REQUEST',
      `expected members beside each other, got ${bytes} bytes of them in ${zipBytes}`,
    );
}

function memberOf(zip: ZipFile, entry: Entry): ZipMember {
  const { fileName: name } = entry;
  return { name, read: () => contentOf(zip, entry) };
}

async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const { uncompressedSize, compressedSize } = entry;
  if (entry.isEncrypted())
    throw new DomainError('INVALID_REQUEST', 'expected a readable member, got an encrypted one');
  if (uncompressedSize > CHECKED_BYTES_MIN && uncompressedSize > compressedSize * RATIO_MAX) {
    const sizes = `${compressedSize} bytes that stand for ${uncompressedSize}`;
    throw new DomainError(
      'INVALID_REQUEST',
      `expected at most ${RATIO_MAX} times the size in the zip, got ${sizes}`,
    );
  }
  let sum = 0;
  const pieces = (await zip.openReadStreamPromise(entry).catch((error: unknown) => {
    throw fault('expected a readable member', error);
  })) as AsyncIterable<Uint8Array>;
  try {
    for await (const piece of pieces) {
      sum = crc32(piece, sum);
      yield piece;
    }
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw fault('expected a whole member', error);
  }
  if (sum !== entry.crc32)
    throw new DomainError('INVALID_REQUEST', 'expected a whole member, got one that is damaged');
}

/** Errors of the disk keep their kind. */
function fault(expected: string, cause: unknown): Error {
  if (cause instanceof DiskError || cause instanceof DomainError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new DomainError('INVALID_REQUEST', `${expected}, got ${reason.slice(0, 200)}`, { cause });
}

/** Reads a range of an open file, in pieces. */
class FileReader extends RandomAccessReader {
  readonly #file: DiskFile;

  constructor(file: DiskFile) {
    super();
    this.#file = file;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#range(start, end), { objectMode: false });
  }

  async *#range(start: number, end: number): AsyncGenerator<Uint8Array> {
    for (let at = start; at < end; at += PIECE_BYTES) {
      const piece = new Uint8Array(Math.min(PIECE_BYTES, end - at));
      yield piece.subarray(0, await this.#file.read(piece, at));
    }
  }
}
