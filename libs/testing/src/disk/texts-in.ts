import { zstdDecompressSync } from 'node:zlib';

const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** The bytes as text, one character each, and what each of their compressed blocks is. */
export function textsIn(bytes: Uint8Array): readonly string[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts = [file.toString('latin1')];
  for (let at = file.indexOf(ZSTD_MAGIC); at >= 0; at = file.indexOf(ZSTD_MAGIC, at + 1)) {
    // What follows the frame is ignored; what only looks like one is no frame.
    try {
      texts.push(zstdDecompressSync(file.subarray(at)).toString('latin1'));
    } catch {
      continue;
    }
  }
  return texts;
}
