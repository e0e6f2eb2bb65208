import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Arena } from './arena.ts';
import { PAGE_WORDS } from './packed-pages.ts';

const PAGE_BYTES = PAGE_WORDS * 4;
/** Many short ones, some about a page long, and some that cover several pages. */
const length = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 3_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: PAGE_BYTES - 16, max: PAGE_BYTES + 4 }) },
  { weight: 1, arbitrary: fc.integer({ min: PAGE_BYTES, max: 3 * PAGE_BYTES }) },
);

function textOf(bytes: number, at: number): Buffer {
  return Buffer.from(`${String(at)} `.repeat(Math.ceil(bytes / 2))).subarray(0, bytes);
}

describe('Arena', () => {
  it('gives back what was packed, whatever the order and the thread that it is asked in', () => {
    const law = fc.property(fc.array(length, { maxLength: 120 }), fc.boolean(), (lengths, isBackwards) => {
      const arena = new Arena(true);
      const strings = lengths.map((bytes, at) => {
        const text = textOf(bytes, at);
        return { text, reference: arena.add(text) };
      });
      if (isBackwards) strings.reverse();

      const packed = Arena.ofPacked(arena.packed());
      const elsewhere = Arena.ofPacked(arena.packed(), packed.unpacked);

      for (const [at, { text, reference }] of strings.entries()) {
        const reader = at % 3 === 0 ? elsewhere : packed;
        expect(reader.bytes(reference).equals(text)).toBe(true);
      }
    });
    fc.assert(law);
  });

  it('unpacks a page when a string of it is read, for all threads, and no other', () => {
    const arena = new Arena(true);
    const references = Array.from({ length: 40 }, (_, at) => arena.add(textOf(PAGE_BYTES / 2, at)));
    const packed = Arena.ofPacked(arena.packed());
    const elsewhere = Arena.ofPacked(arena.packed(), packed.unpacked);

    elsewhere.text(references[20] ?? 0);

    expect(packed.unpacked?.isUnpacked.filter((flag) => flag === 1)).toHaveLength(1);
    expect(packed.text(references[20] ?? 0)).toBe(textOf(PAGE_BYTES / 2, 20).toString());
    expect(packed.unpacked?.isUnpacked.filter((flag) => flag === 1)).toHaveLength(1);
  });
});
