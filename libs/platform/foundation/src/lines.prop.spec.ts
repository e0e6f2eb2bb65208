import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Readable } from 'node:stream';
import { readLines } from './lines.ts';

async function linesOf(chunks: readonly Uint8Array[], lineBytesMax = 1_000): Promise<string[]> {
  const lines: string[] = [];
  const stream = Readable.from(
    chunks.map((chunk) => Buffer.from(chunk)),
    { objectMode: false },
  );
  for await (const batch of readLines(stream, lineBytesMax))
    lines.push(...batch.map((line) => line.toString()));
  return lines;
}

describe('readLines', () => {
  it('returns the same lines for any chunking of the stream', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'ä', '\r', ' '), maxLength: 5 }), { maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 50 }),
        async (lines, sizes) => {
          const whole = Buffer.from(lines.map((line) => `${line}\n`).join(''));
          const chunks: Buffer[] = [];
          for (let at = 0; at < whole.length; at += chunks.at(-1)?.length ?? 1) {
            chunks.push(whole.subarray(at, at + (sizes[chunks.length % sizes.length] ?? 1)));
          }

          expect(await linesOf(chunks)).toEqual(lines);
        },
      ),
    );
  });

  it('returns a last line without a newline', async () => {
    expect(await linesOf([Buffer.from('a\nb')])).toEqual(['a', 'b']);
  });

  it('rejects a line above the limit, with or without a newline', async () => {
    const long = Buffer.alloc(40, 'x');

    await expect(linesOf([long, long], 64)).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
    await expect(linesOf([long, long, Buffer.from('\n')], 64)).rejects.toMatchObject({
      code: 'BODY_TOO_LARGE',
    });
  });
});
