import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { planMerge } from './compaction-plan.ts';

const FLUSHES_MAX = 1_000;
const FLUSH_BYTES = 8 * 1024 ** 2;

/** The sizes of segments, oldest first, under flushes and the planned merges. */
class Segments {
  bytes: number[] = [];
  flushed = 0;
  rewritten = 0;
  wholeMerges = 0;
  partialMerges = 0;

  flush(bytes: number): void {
    this.bytes.push(bytes);
    this.flushed += bytes;
  }

  /** Merges until nothing is left to merge; a merge keeps `share` of its input bytes. */
  merge(share = 1): void {
    for (let from = planMerge(this.bytes); from !== undefined; from = planMerge(this.bytes)) {
      const output = Math.max(1, Math.floor(sum(this.bytes.slice(from)) * share));
      this.bytes.splice(from, Infinity, output);
      this.rewritten += output;
      if (from === 0) this.wholeMerges++;
      else this.partialMerges++;
    }
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe('planMerge', () => {
  it.each<[string, number[], number | undefined]>([
    ['no segments', [], undefined],
    ['nothing if there is one segment', [1], undefined],
    ['nothing if each is larger than all newer ones together', [8, 4, 2, 1], undefined],
    ['two of equal size', [5, 5], 0],
    ['the newest, but not the large one before them', [100, 5, 5], 1],
    ['a flush with the smaller one before it', [100, 3, 20], 1],
    ['all down to the oldest that is not larger than the newer ones together', [8, 7, 6, 1], 0],
    ['one that is larger than each newer one, but not than all together', [100, 9, 5, 4], 1],
    ['nothing if only the last one is small', [100, 5, 4], undefined],
  ])('merges %s', (_, bytes, from) => {
    expect(planMerge(bytes)).toBe(from);
  });

  it('rewrites n equal flushes at most (log2(n) + 1) / 2 times on average', () => {
    const segments = new Segments();

    for (let count = 1; count <= FLUSHES_MAX; count++) {
      segments.flush(FLUSH_BYTES);
      segments.merge();

      const most = (count / 2) * (Math.log2(count) + 1) * FLUSH_BYTES;
      expect(segments.rewritten).toBeLessThanOrEqual(most);
      expect(segments.bytes.length).toBeLessThanOrEqual(1 + Math.log2(count));
    }
    expect(segments.wholeMerges).toBe(Math.floor(Math.log2(FLUSHES_MAX)));
    expect(segments.partialMerges).toBe(FLUSHES_MAX / 2 - segments.wholeMerges);
  });

  it('keeps its bounds for flushes of any size, during merges, and for merges of any output size', () => {
    const flush = fc.record({
      bytes: fc.oneof(
        fc.constant(FLUSH_BYTES),
        fc.integer({ min: 1, max: 8 * FLUSH_BYTES }),
        fc.nat(26).map((exponent) => 2 ** exponent),
      ),
      isBesideMerge: fc.boolean(),
      share: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
    });

    fc.assert(
      fc.property(fc.array(flush, { maxLength: FLUSHES_MAX }), (flushes) => {
        const segments = new Segments();
        for (const { bytes, isBesideMerge, share } of flushes) {
          segments.flush(bytes);
          if (!isBesideMerge) segments.merge(share);
        }
        segments.merge();

        const { bytes, flushed, rewritten } = segments;
        const most = flushes.map((one) => one.bytes * (1 + Math.log2((Math.E * flushed) / one.bytes)));
        expect(rewritten).toBeLessThanOrEqual(sum(most));
        for (const [i, size] of bytes.entries()) expect(size).toBeGreaterThan(sum(bytes.slice(i + 1)));
      }),
      { numRuns: 50 },
    );
  });
});
