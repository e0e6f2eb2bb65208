import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Hashed, HashIndex } from './sent-archive.ts';

class Entry implements Hashed<Entry> {
  readonly hash: Uint8Array;
  twin: Entry | undefined;

  constructor(hash: Uint8Array) {
    this.hash = hash;
  }
}

/** A small set of hashes, many of them with equal first 32 bits. */
const HASH = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })).map(([head, tail]) => {
  const hash = new Uint8Array(32);
  hash[3] = head;
  hash[31] = tail;
  return hash;
});

describe('the hash index', () => {
  it('is equivalent to a map with hexadecimal keys', () => {
    const step = fc.record({ hash: HASH, isRemoval: fc.boolean() });

    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const index = new HashIndex<Entry>();
        const model = new Map<string, Entry>();
        for (const { hash, isRemoval } of steps) {
          const key = Buffer.from(hash).toString('hex');
          const known = model.get(key);
          expect(index.find(Buffer.concat([Buffer.alloc(5), hash]), 5)).toBe(known);
          if (isRemoval && known !== undefined) {
            index.remove(known);
            model.delete(key);
          } else if (!isRemoval && known === undefined) {
            const entry = new Entry(hash);
            index.add(entry);
            model.set(key, entry);
          }
          expect(index.size).toBe(model.size);
        }
      }),
    );
  });
});
