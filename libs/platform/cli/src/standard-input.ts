import { lineOfInvalidByte, utf8Text } from '#platform/foundation';
import { UsageError } from './failure.ts';

/** Larger than any document that people write. */
const BYTES_MAX = 16_777_216;

/** The name of standard input in messages. */
export const STANDARD_INPUT = 'standard input';

/** A document from standard input. Throws UsageError if it is too large or not UTF-8. */
export async function readStandardInput(): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    if (size > BYTES_MAX) throw new UsageError(`${STANDARD_INPUT}: expected at most ${BYTES_MAX} bytes`);
  }
  const bytes = Buffer.concat(parts);
  const text = utf8Text(bytes);
  if (text === undefined)
    throw new UsageError(`${STANDARD_INPUT}:${lineOfInvalidByte(bytes)}: expected UTF-8`);
  return text;
}
