import { DomainError, lineOfInvalidByte } from '#platform/foundation';

/**
 * The text of bytes in pieces, without a byte order mark. Throws INVALID_REQUEST with the line of what is not
 * UTF-8: replacement characters would make one name of two.
 */
export async function* textPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  let isFirst = true;
  for await (const piece of bytes) {
    if (isFirst && isUtf16(piece))
      throw new DomainError('INVALID_REQUEST', 'expected UTF-8, got UTF-16: save the file as UTF-8');
    isFirst = false;
    const text = decoded(
      () => decoder.decode(piece, { stream: true }),
      () => line + lineOfInvalidByte(piece) - 1,
    );
    line += text.split('\n').length - 1;
    if (text !== '') yield text;
  }
  decoded(
    () => decoder.decode(),
    () => line,
  );
}

function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

function decoded(decode: () => string, line: () => number): string {
  try {
    return decode();
  } catch (cause) {
    throw new DomainError('INVALID_REQUEST', `line ${line()}: expected UTF-8`, { cause });
  }
}
