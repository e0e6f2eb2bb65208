import type { Readable } from 'node:stream';
import { DomainError } from './errors.ts';

const NEWLINE = 0x0a;

/**
 * The lines of a stream, without line ends, in one list per chunk; the last line needs no line end. Reads on
 * demand only. Throws BODY_TOO_LARGE for a line of more than `lineBytesMax`.
 */
export async function* readLines(stream: Readable, lineBytesMax: number): AsyncGenerator<Buffer[]> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const { lines, tail } = splitLines(chunk, rest);
    rest = lines.length > 0 ? [] : rest;
    restBytes = (lines.length > 0 ? 0 : restBytes) + tail.length;
    if (tail.length > 0) rest.push(tail);
    if (restBytes > lineBytesMax || lines.some((line) => line.length > lineBytesMax)) {
      throw new DomainError('BODY_TOO_LARGE', `a line is longer than ${String(lineBytesMax)} bytes`);
    }
    if (lines.length > 0) yield lines;
  }
  if (restBytes > 0) yield [Buffer.concat(rest)];
}

/**
 * The lines that end in this chunk, the first with its beginning from earlier chunks, and the unfinished
 * rest.
 */
function splitLines(chunk: Buffer, before: readonly Buffer[]): { lines: Buffer[]; tail: Buffer } {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
    const line = chunk.subarray(start, end);
    lines.push(lines.length === 0 && before.length > 0 ? Buffer.concat([...before, line]) : line);
    start = end + 1;
  }
  return { lines, tail: chunk.subarray(start) };
}
