import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { arbitraryFields, privateKeys } from '../../test/arbitrary-fields.ts';
import { toHex } from '../bytes/hex.ts';
import { type SignedTransaction, signTransaction } from '../transaction/sign-transaction.ts';
import {
  batchedBytes,
  encodeL2Message,
  hashesOf,
  L2_MESSAGE_BYTES_MAX,
  transactionsOf,
} from './l2-message.ts';

const FIELDS = {
  chainId: 412_346,
  maxPriorityFeePerGas: 0n,
  maxFeePerGas: 10n,
  gasLimit: 21_000n,
  to: Buffer.alloc(20, 1),
  value: 1n,
  data: new Uint8Array(0),
};
const TRANSACTIONS = Array.from({ length: 3 }, (_, nonce) =>
  signTransaction({ ...FIELDS, nonce }, Buffer.alloc(32, 9)),
);
const [FIRST, SECOND, THIRD] = TRANSACTIONS as [SignedTransaction, SignedTransaction, SignedTransaction];
const HASHES = TRANSACTIONS.map(({ hash }) => toHex(hash));

const hexHashesOf = (message: Uint8Array) => hashesOf(message).map(toHex);
const signed = ({ raw }: SignedTransaction) => Buffer.concat([Uint8Array.of(4), raw]);
const part = (message: Uint8Array) => {
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(message.length));
  return Buffer.concat([length, message]);
};
const batch = (...messages: Uint8Array[]) => Buffer.concat([Uint8Array.of(3), ...messages.map(part)]);
const nested = (depth: number): Uint8Array => (depth === 0 ? signed(FIRST) : batch(nested(depth - 1)));

describe('transactionsOf', () => {
  it('restores the transactions of encodeL2Message in order', () => {
    const transactions = fc.array(fc.tuple(arbitraryFields, privateKeys), { minLength: 1, maxLength: 5 });

    fc.assert(
      fc.property(transactions, (inputs) => {
        const made = inputs.map(([fields, key]) => signTransaction(fields, key));

        const message = encodeL2Message(made.map(({ raw }) => raw));

        expect(hexHashesOf(message)).toEqual(made.map(({ hash }) => toHex(hash)));
        expect(transactionsOf(message).map(({ raw }) => toHex(raw))).toEqual(
          made.map(({ raw }) => toHex(raw)),
        );
      }),
      { numRuns: 30 },
    );
  });

  it('reads a single transaction without a batch, and several as a batch of the precomputed length', () => {
    const raws = TRANSACTIONS.map(({ raw }) => raw);

    const single = encodeL2Message(raws.slice(0, 1));
    const many = encodeL2Message(raws);

    expect(toHex(single)).toBe(toHex(signed(FIRST)));
    expect(toHex(many)).toBe(toHex(batch(signed(FIRST), signed(SECOND), signed(THIRD))));
    expect(many.length).toBe(raws.reduce((sum, raw) => sum + batchedBytes(raw), 1));
  });

  it('reads nested batches', () => {
    const message = batch(signed(FIRST), batch(batch(signed(SECOND))), signed(THIRD));

    expect(hexHashesOf(message)).toEqual(HASHES);
  });

  it('reads 16 levels of batches, and returns nothing for deeper messages', () => {
    expect(hexHashesOf(nested(16))).toEqual(HASHES.slice(0, 1));
    expect(hexHashesOf(nested(17))).toEqual([]);
  });

  it.each([1, 8, 9, 50])('ignores the last part if its tail lacks %i bytes', (missing) => {
    const whole = batch(signed(FIRST), signed(SECOND));

    const found = hexHashesOf(whole.subarray(0, whole.length - missing));

    expect(found).toEqual(HASHES.slice(0, 1));
  });

  it('stops silently at a length beyond the end', () => {
    const message = Buffer.concat([batch(signed(FIRST)), Buffer.alloc(8, 0xff), signed(SECOND)]);

    expect(hexHashesOf(message)).toEqual(HASHES.slice(0, 1));
  });

  it.each([
    ['an invalid transaction', batch(signed(FIRST), Buffer.from('04c0', 'hex'))],
    ['a blob transaction', batch(signed(FIRST), Buffer.from('0403c0', 'hex'))],
    ['an empty part', batch(signed(FIRST), Buffer.alloc(0))],
    ['an unknown kind', batch(signed(FIRST), Buffer.from('09', 'hex'))],
    ['a heartbeat', batch(signed(FIRST), Buffer.from('06', 'hex'))],
    ['a compressed transaction', batch(signed(FIRST), Buffer.from('07', 'hex'))],
    ['an error in an inner batch', batch(signed(FIRST), batch(signed(SECOND), Buffer.from('04', 'hex')))],
  ])('returns nothing for a message with %s', (_, message) => {
    expect(hexHashesOf(message)).toEqual([]);
  });

  it('skips unsigned transactions from the parent chain', () => {
    const message = batch(Buffer.alloc(170), signed(FIRST), Buffer.alloc(130, 1));

    expect(hexHashesOf(message)).toEqual(HASHES.slice(0, 1));
  });

  it('returns nothing for a message above 262,144 bytes', () => {
    const filled = (length: number) => {
      const message = Buffer.alloc(length, 0xff);
      batch(signed(FIRST)).copy(message);
      return message;
    };

    expect(hexHashesOf(filled(L2_MESSAGE_BYTES_MAX))).toEqual(HASHES.slice(0, 1));
    expect(hexHashesOf(filled(L2_MESSAGE_BYTES_MAX + 1))).toEqual([]);
  });

  it('never throws, for any bytes', () => {
    const valid = batch(signed(FIRST), batch(signed(SECOND), signed(THIRD)));
    const edits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 });

    fc.assert(
      fc.property(edits, fc.uint8Array({ maxLength: 40 }), (changes, tail) => {
        const bytes = Buffer.concat([valid, tail]);
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;

        expect(hashesOf(bytes).length).toBeLessThanOrEqual(3);
        expect(hashesOf(tail)).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });
});
