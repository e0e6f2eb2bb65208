import { describe, expect, it } from '@jest/globals';
import { SharedSlabs } from './shared-slabs.ts';

const KIB = 1_024;

describe('SharedSlabs', () => {
  it('places small pieces one after another in a buffer, aligned for doubles', () => {
    const slabs = new SharedSlabs(KIB, 16 * KIB);
    const [first, second, third] = [slabs.take(3), slabs.take(0), slabs.take(16)];

    expect([first.byteOffset, second.byteOffset, third.byteOffset]).toEqual([0, 8, 8]);
    expect([first.length, second.length, third.length]).toEqual([3, 0, 16]);
    expect(third.buffer).toBe(first.buffer);
    expect(new Float64Array(third.buffer, third.byteOffset, 2)).toEqual(new Float64Array(2));
  });

  it('opens larger buffers up to the maximum, which earlier pieces outlive', () => {
    const slabs = new SharedSlabs(KIB, 8 * KIB);
    const sizes = Array.from({ length: 30 }, () => slabs.take(KIB).fill(7).buffer.byteLength);

    expect([...new Set(sizes)]).toEqual([KIB, 4 * KIB, 8 * KIB]);
  });

  it('gives a large piece a buffer of its own', () => {
    const slabs = new SharedSlabs(KIB, 8 * KIB);

    expect(slabs.take(2 * KIB + 1).buffer.byteLength).toBe(2 * KIB + 1);
    expect(slabs.take(8).buffer.byteLength).toBe(KIB);
  });

  it('needs one buffer for pieces of known sizes', () => {
    const sizes = [5, 0, 700, 9];
    const slabs = new SharedSlabs(SharedSlabs.roomFor(sizes), 16 * KIB);

    const buffers = new Set(sizes.map((bytes) => slabs.take(bytes).buffer));

    expect([...buffers].map(({ byteLength }) => byteLength)).toEqual([8 + 704 + 16]);
  });
});
