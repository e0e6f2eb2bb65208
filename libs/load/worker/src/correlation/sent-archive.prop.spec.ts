import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SentArchive } from './sent-archive.ts';

/** A small set of low words, which gives many collisions. */
const HASH = fc
  .tuple(fc.nat(50), fc.nat(20))
  .map(([high, low]) => Uint8Array.of(0, 0, 0, high, 0, 0, 0, low, ...new Uint8Array(24)));
const SENT = fc.array(fc.record({ hash: HASH, position: fc.nat(1_000), nonce: fc.nat(2 ** 32 - 1) }), {
  maxLength: 1_500,
});

describe('the archive of sent transactions', () => {
  it('is equivalent to a map for any number of entries and any collisions', () => {
    fc.assert(
      fc.property(SENT, (sent) => {
        const archive = new SentArchive();
        const model = new Map<string, object>();
        for (const { hash, ...facts } of sent) {
          archive.add(hash, facts);
          model.set(hash.join(), facts);
        }
        expect(archive.size).toBe(model.size);
        for (let high = 0; high <= 51; high++) {
          for (let low = 0; low <= 21; low++) {
            const hash = Uint8Array.of(9, 0, 0, 0, high, 0, 0, 0, low, ...new Uint8Array(24));
            expect(archive.find(hash, 1)).toEqual(model.get(hash.subarray(1).join()));
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it('grows with the number of transactions', () => {
    const archive = new SentArchive();
    const hashOf = (number: number): Uint8Array => {
      const hash = new Uint8Array(32);
      new DataView(hash.buffer).setUint32(4, Math.imul(number, 2_654_435_761));
      return hash;
    };
    for (let number = 0; number < 100_000; number++)
      archive.add(hashOf(number), { position: number, nonce: 7 });

    expect(archive.size).toBe(100_000);
    expect(archive.find(hashOf(77_777))).toEqual({ position: 77_777, nonce: 7 });
    expect(archive.find(hashOf(100_001))).toBeUndefined();
  });
});
