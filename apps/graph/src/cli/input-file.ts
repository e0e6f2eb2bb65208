import { isMissingFile, NodeDisk } from '#platform/disk';
import { DomainError } from '#platform/foundation';

const CHUNK_BYTES = 256 * 1024;
const MEBIBYTE = 1_048_576;
const WHOLE_MEBIBYTES_MAX = 256;

/** A file, or standard input for `-`, whose size is unknown. Throws NOT_FOUND. */
export async function openInput(
  path: string,
): Promise<{ readonly size: number | undefined; readonly chunks: AsyncIterable<Buffer> }> {
  return path === '-' ? { size: undefined, chunks: process.stdin } : openInputFile(path);
}

/** The whole content of a file, or of standard input for `-`. Throws NOT_FOUND, BODY_TOO_LARGE. */
export async function readInput(path: string): Promise<Uint8Array> {
  const { chunks } = await openInput(path);
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    bytes += chunk.length;
    if (bytes > WHOLE_MEBIBYTES_MAX * MEBIBYTE)
      throw new DomainError('BODY_TOO_LARGE', `${path}: expected at most ${WHOLE_MEBIBYTES_MAX} MiB`);
  }
  return Buffer.concat(parts);
}

/** An input file that is read once, from start to end. */
export interface InputFile {
  readonly size: number;
  /** The content; closes the file at the end. */
  readonly chunks: AsyncIterable<Buffer>;
}

/** Throws NOT_FOUND. */
export async function openInputFile(path: string): Promise<InputFile> {
  const file = await new NodeDisk().open(path, 'read').catch((cause: unknown) => {
    if (!isMissingFile(cause)) throw cause;
    throw new DomainError('NOT_FOUND', `no file at ${path}`, { cause });
  });
  const size = await file.size();
  // A directory can be opened, and has a size.
  await file.read(Buffer.alloc(1), 0).catch(async (cause: unknown) => {
    await file.close();
    throw cause;
  });
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      for (let at = 0; at < size;) {
        const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - at));
        const count = await file.read(chunk, at);
        if (count === 0) return;
        at += count;
        yield chunk.subarray(0, count);
      }
    } finally {
      await file.close();
    }
  }
  return { size, chunks: chunks() };
}
