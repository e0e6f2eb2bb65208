import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { effort } from '#testing';
import { AccountIndex } from './account-index.ts';

/** Addresses with repetitions, many with a common prefix. */
const arbitraryAddress = fc.tuple(fc.nat(600), fc.nat(5)).map(([head, tail]) => {
  const address = new Uint8Array(20);
  new DataView(address.buffer).setUint32(0, head);
  address[19] = tail;
  return address;
});

describe('AccountIndex', () => {
  it('numbers addresses like a map of their text', () => {
    fc.assert(
      fc.property(fc.array(arbitraryAddress, { maxLength: 3_000 }), (addresses) => {
        const index = new AccountIndex();
        const model = new Map<string, number>();
        for (const address of addresses) {
          const text = String(address);
          expect(index.find(address, 0)).toBe(model.get(text) ?? -1);
          if (!model.has(text)) model.set(text, model.size);
          expect(index.number(address, 0)).toBe(model.get(text));
        }
        expect(index.size).toBe(model.size);
      }),
      { numRuns: effort(30, 6) },
    );
  });

  it('keeps every address when it grows, including those with a common prefix', () => {
    const index = new AccountIndex();
    const addresses = Array.from({ length: 5_000 }, (_, number) => {
      const address = new Uint8Array(20);
      new DataView(address.buffer).setUint32(16, number);
      return address;
    });

    addresses.forEach((address) => index.number(address, 0));

    expect(addresses.map((address) => index.find(address, 0))).toEqual(addresses.map((_, number) => number));
    expect(index.address(4_999)).toEqual(addresses[4_999]);
  });
});
