import { isUtf8 } from 'node:buffer';

const DECODER = new TextDecoder('utf-8');
const LINE_FEED = 10;

/**
 * The text of bytes, without a byte order mark; undefined if they are not UTF-8. Replacement characters would
 * make one name of two.
 */
export function utf8Text(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) ? DECODER.decode(bytes) : undefined;
}

/** The line of the first byte that is not UTF-8, from 1. */
export function lineOfInvalidByte(bytes: Uint8Array): number {
  let line = 1;
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(LINE_FEED, start);
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
    line++;
  }
  return line;
}
