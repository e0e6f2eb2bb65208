import { describe, expect, it } from '@jest/globals';
import { computeAddress, getAddress, getCreateAddress, SigningKey } from 'ethers';
import fc from 'fast-check';
import { privateKeys } from '../../test/arbitrary-fields.ts';
import { fromHex, toHex } from '../bytes/hex.ts';
import { addressOf, checksumAddress, contractAddress, isPrivateKey } from './address.ts';

const addresses = fc.uint8Array({ minLength: 20, maxLength: 20 });

describe('addressOf', () => {
  it('derives the address from private and public keys in every form', () => {
    fc.assert(
      fc.property(privateKeys, (key) => {
        const { compressedPublicKey, publicKey } = new SigningKey(key);
        const forms = [key, fromHex(publicKey), fromHex(publicKey).subarray(1), fromHex(compressedPublicKey)];

        const found = forms.map((form) => checksumAddress(addressOf(form)));

        expect(new Set(found)).toEqual(new Set([computeAddress(publicKey)]));
      }),
      { numRuns: 30 },
    );
  });

  it('agrees with ethers on contract addresses (contractAddress)', () => {
    fc.assert(
      fc.property(addresses, fc.oneof(fc.nat(300), fc.maxSafeNat()), (from, nonce) => {
        const found = contractAddress(from, nonce);

        expect(checksumAddress(found)).toBe(getCreateAddress({ from: toHex(from), nonce }));
      }),
    );
  });

  it('agrees with ethers on checksums (checksumAddress)', () => {
    fc.assert(
      fc.property(addresses, (address) => {
        expect(checksumAddress(address)).toBe(getAddress(toHex(address)));
      }),
    );
  });

  it.each([0, 31, 33, 65])('rejects %i zero bytes', (length) => {
    expect(() => addressOf(new Uint8Array(length))).toThrow(/expected a private or public key/);
  });

  it('requires private keys below the order of the curve (isPrivateKey)', () => {
    const order = fromHex('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');
    const last = fromHex('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140');

    expect([order, last, new Uint8Array(32), new Uint8Array(31)].map(isPrivateKey)).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });
});
