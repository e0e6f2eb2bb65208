import { describe, expect, it } from '@jest/globals';
import { keccak256 as keccakOfEthers, toBeHex } from 'ethers';
import fc from 'fast-check';
import { keccak256 } from '../crypto/keccak256.ts';
import { fromHex, fromQuantity, toHex, toQuantity } from './hex.ts';

describe('toHex and fromHex', () => {
  it('are inverse functions', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const hex = toHex(bytes);

        expect(hex).toMatch(/^0x([0-9a-f]{2})*$/);
        expect(Uint8Array.from(fromHex(hex))).toEqual(bytes);
        expect(Uint8Array.from(fromHex(`0x${hex.slice(2).toUpperCase()}`))).toEqual(bytes);
      }),
    );
  });

  it('convert only the bytes of a view', () => {
    const view = Uint8Array.of(1, 2, 3, 4).subarray(1, 3);

    expect(toHex(view)).toBe('0x0203');
  });

  it.each(['', '0', 'ab', '0x0', '0xabc', '0xzz', '0xabzz', '0x 1', '0Xab', `0x${'0'.repeat(50)}x`])(
    'reject %j',
    (text) => {
      expect(() => fromHex(text)).toThrow(expect.objectContaining({ code: 'WIRE_FORMAT' }));
    },
  );
});

describe('toQuantity and fromQuantity', () => {
  it('convert numbers of up to 256 bits', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, (1n << 256n) - 1n), (value) => {
        expect(fromQuantity(toQuantity(value))).toBe(value);
      }),
    );
  });

  it.each(['', '0x', '0x00', '0x01', '1', 'x1', `0x1${'0'.repeat(64)}`, 1, null, undefined, ['0x1']])(
    'reject %j',
    (text) => {
      expect(() => fromQuantity(text)).toThrow(expect.objectContaining({ code: 'WIRE_FORMAT' }));
    },
  );
});

describe('keccak256', () => {
  it('returns the same hash as ethers for lengths around the block size', () => {
    const lengths = [0, 1, 31, 32, 135, 136, 137, 271, 272, 273, 70_000];
    const inputs = lengths.map((length) => Buffer.alloc(length, length % 251));

    const hashes = inputs.map((input) => toHex(keccak256(input)));

    expect(hashes).toEqual(inputs.map((input) => keccakOfEthers(input)));
  });

  it('does not change earlier results', () => {
    const first = keccak256(fromHex(toBeHex(1)));
    const before = toHex(first);

    keccak256(fromHex(toBeHex(2)));

    expect(toHex(first)).toBe(before);
  });
});
