import { DomainError } from '#platform/foundation';

/** What a WebSocket gives. */
export type FrameData = Buffer | ArrayBuffer | Buffer[];

/** From this length on it is worth while to look before parsing. */
const LARGE_BYTES = 2 ** 20;
/** Feed messages have far fewer: eight in hundreds of bytes. */
const BYTES_A_BRACKET = 16;
const SQUARE = 0x5b;
const CURLY = 0x7b;

/**
 * The text of a frame. Throws WIRE_FORMAT for a large one that is mostly brackets: parsed, sixty megabytes of
 * `[],[],…` are two gigabytes of arrays.
 */
export function textOfFrame(data: FrameData): string {
  const bytes = bytesOf(data);
  if (bytes.length >= LARGE_BYTES && bracketsIn(bytes) * BYTES_A_BRACKET > bytes.length) {
    throw new DomainError('WIRE_FORMAT', `expected feed messages, got ${bytes.length} bytes of brackets`);
  }
  return bytes.toString('utf8');
}

function bracketsIn(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte === SQUARE || byte === CURLY) count++;
  return count;
}

function bytesOf(data: FrameData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
