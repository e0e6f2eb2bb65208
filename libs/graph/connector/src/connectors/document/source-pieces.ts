import type { Disk } from '#platform/disk';

const PIECE_BYTES = 65_536;

/** The bytes of a file in pieces, each of them valid until the next one. */
export async function* piecesOf(disk: Disk, path: string): AsyncGenerator<Uint8Array> {
  const file = await disk.open(path, 'read');
  try {
    const piece = new Uint8Array(PIECE_BYTES);
    for (let at = 0; ;) {
      const count = await file.read(piece, at);
      if (count === 0) return;
      yield piece.subarray(0, count);
      at += count;
    }
  } finally {
    await file.close();
  }
}
