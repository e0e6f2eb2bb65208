import { describe, expect, it } from '@jest/globals';
import { concat, getBytes, id, toBeHex, verifyMessage, Wallet, zeroPadValue } from 'ethers';
import fc from 'fast-check';
import { fromHex, toHex } from '../bytes/hex.ts';
import { checksumAddress } from '../crypto/address.ts';
import { blockMetadataOf, isTimeboosted, signSubmission, submissionSigner } from './express-lane.ts';

const KEY = `0x${'42'.repeat(32)}`;
const SUBMISSION = {
  chainId: 412_346,
  auctionContract: fromHex(`0x${'ab'.repeat(20)}`),
  round: 7,
  sequence: 3n,
  raw: fromHex('0x02c0ffee'),
};

describe('signSubmission', () => {
  it('signs the message of Nitro as a personal message', () => {
    const signature = signSubmission(SUBMISSION, fromHex(KEY));

    const message = concat([
      id('TIMEBOOST_BID'),
      zeroPadValue(toBeHex(412_346), 32),
      SUBMISSION.auctionContract,
      zeroPadValue('0x07', 8),
      zeroPadValue('0x03', 8),
      SUBMISSION.raw,
    ]);
    const [parity = 0] = signature.subarray(64);
    const withOffset = toHex(Uint8Array.of(...signature.subarray(0, 64), parity + 27));
    expect(verifyMessage(getBytes(message), withOffset)).toBe(new Wallet(KEY).address);
  });

  it.each([0, 27])('recovers to its signer with the parity at %i', (offset) => {
    const signature = signSubmission(SUBMISSION, fromHex(KEY));
    const last = (signature[64] ?? 0) + offset;

    const signer = submissionSigner(SUBMISSION, Uint8Array.of(...signature.subarray(0, 64), last));

    expect(signer === undefined ? undefined : checksumAddress(signer)).toBe(new Wallet(KEY).address);
  });

  it.each([
    ['another round', { round: 8 }],
    ['another sequence number', { sequence: 4n }],
    ['another transaction', { raw: fromHex('0x02c0ffef') }],
  ])('covers %s', (_, change) => {
    const signature = signSubmission(SUBMISSION, fromHex(KEY));

    const signer = submissionSigner({ ...SUBMISSION, ...change }, signature);

    expect(signer === undefined ? undefined : checksumAddress(signer)).not.toBe(new Wallet(KEY).address);
  });

  it.each([0, 64, 66])('has no signer with %i bytes of signature', (length) => {
    expect(submissionSigner(SUBMISSION, new Uint8Array(length))).toBeUndefined();
  });
});

describe('isTimeboosted', () => {
  it('reads the bits of the blocks that Nitro tests with', () => {
    const bits = [0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 1].map((bit) => bit === 1);

    const read = bits.map((_, index) => isTimeboosted(Uint8Array.of(0, 86, 145), index));

    expect(read).toEqual(bits);
  });

  it.each([
    ['no metadata', new Uint8Array(0)],
    ['another version', Uint8Array.of(1, 0xff)],
  ])('is not known with %s', (_, metadata) => {
    expect(isTimeboosted(metadata, 0)).toBeNull();
  });

  it('returns what blockMetadataOf states', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 100 }), (bits) => {
        const boosted = bits.flatMap((bit, index) => (bit ? [index] : []));

        const metadata = blockMetadataOf(bits.length, boosted);

        expect(bits.map((_, index) => isTimeboosted(metadata, index))).toEqual(bits);
      }),
    );
  });
});
