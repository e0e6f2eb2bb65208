import { describe, expect, it } from '@jest/globals';
import { SigningKey, Transaction, type TransactionLike, Wallet } from 'ethers';
import fc from 'fast-check';
import { DomainError } from '#platform/foundation';
import { checksumAddress } from '../crypto/address.ts';
import { fromHex, toHex } from '../bytes/hex.ts';
import { decodeTransaction, senderOf } from './sender.ts';
import { parseTransaction } from './transaction-envelope.ts';

const KEY = `0x${'42'.repeat(32)}`;
const WALLET = new Wallet(KEY);
const TO = `0x${'ab'.repeat(20)}`;
const ACCESS_LIST = [{ address: TO, storageKeys: [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`] }];

function signed(fields: TransactionLike): Transaction {
  const transaction = Transaction.from({ to: TO, gasLimit: 50_000n, nonce: 9, value: 12n, ...fields });
  transaction.signature = new SigningKey(KEY).sign(transaction.unsignedHash);
  return transaction;
}

const FORMS: readonly (readonly [string, Transaction])[] = [
  ['a legacy one of before EIP-155', signed({ type: 0, gasPrice: 7n })],
  ['a legacy one', signed({ type: 0, gasPrice: 7n, chainId: 412_346n })],
  ['one with an access list', signed({ type: 1, gasPrice: 7n, chainId: 1n, accessList: ACCESS_LIST })],
  [
    'one with fee cap and access list',
    signed({ type: 2, maxFeePerGas: 7n, maxPriorityFeePerGas: 2n, chainId: 1n, accessList: ACCESS_LIST }),
  ],
  [
    'one with authorisations',
    signed({
      type: 4,
      maxFeePerGas: 7n,
      maxPriorityFeePerGas: 2n,
      chainId: 1n,
      authorizationList: [
        WALLET.authorizeSync({ address: TO, nonce: 1, chainId: 1n }),
        WALLET.authorizeSync({ address: TO, nonce: 2, chainId: 1n }),
      ],
    }),
  ],
];

describe('decodeTransaction', () => {
  it.each(FORMS)('reads %s', (_, expected) => {
    const decoded = decodeTransaction(fromHex(expected.serialized));

    expect(decoded.type).toBe(expected.type);
    expect(decoded.chainId ?? 0n).toBe(expected.chainId);
    expect(decoded.nonce).toBe(9);
    expect(decoded.value).toBe(12n);
    expect(decoded.gasLimit).toBe(50_000n);
    expect(decoded.maxFeePerGas).toBe(7n);
    expect(decoded.maxPriorityFeePerGas).toBe(expected.maxPriorityFeePerGas ?? 7n);
    expect(decoded.to === null ? null : toHex(decoded.to)).toBe(TO);
    expect(decoded.authorizationCount).toBe(expected.type === 4 ? 2 : 0);
    expect(
      decoded.accessList.map(({ address, storageKeys }) => [toHex(address), ...storageKeys.map(toHex)]),
    ).toEqual((expected.accessList ?? []).map(({ storageKeys }) => [TO, ...storageKeys]));
    expect(toHex(decoded.hash)).toBe(expected.hash);
    expect(checksumAddress(decoded.sender)).toBe(WALLET.address);
  });

  it.each([
    ['no bytes', ''],
    ['an unknown type', '05c0'],
    ['a blob transaction', '03c0'],
    ['a list that ends early', '02f870'],
    ['a list with missing items', '02c101'],
    ['a string instead of a list', '0283010203'],
    ['bytes after the list', `${FORMS[0]?.[1].serialized.slice(2) ?? ''}00`],
    ['a length of lengths beyond the limit', '02ffffffffffffffffff'],
    ['a length that is not in its shortest form', '02f801c0'],
    ['a length with a leading zero', '02f9000102'],
  ])('rejects %s', (_, hex) => {
    expect(() => decodeTransaction(fromHex(`0x${hex}`))).toThrow(
      expect.objectContaining({ code: 'WIRE_FORMAT' }),
    );
  });

  it('rejects integers that are not in their shortest form', () => {
    const raw = FORMS[1]?.[1].serialized.slice(2) ?? '';
    // The nonce 9, written as 0x00, 0x8109 and 0x820009 instead of 0x09.
    const withNonce = (nonce: string) => {
      const body = `${nonce}${raw.slice(raw.indexOf('09') + 2)}`;
      return fromHex(`0xf8${(body.length / 2).toString(16)}${body}`);
    };

    expect(decodeTransaction(withNonce('09')).nonce).toBe(9);
    for (const nonce of ['00', '8109', '820009']) {
      expect(() => decodeTransaction(withNonce(nonce))).toThrow(
        expect.objectContaining({ code: 'WIRE_FORMAT' }),
      );
    }
  });

  it('rejects a nonce above the safe integers', () => {
    const envelope = Transaction.from({ type: 2, chainId: 1n, nonce: 1, gasLimit: 1n });
    envelope.signature = new SigningKey(KEY).sign(envelope.unsignedHash);
    const raw = Buffer.from(envelope.serialized.slice(2), 'hex');
    const huge = Buffer.concat([
      raw.subarray(0, 4),
      Buffer.from('88ffffffffffffffff', 'hex'),
      raw.subarray(5),
    ]);
    huge.writeUInt8(huge.readUInt8(2) + 8, 2);

    expect(() => parseTransaction(huge)).toThrow(/nonce below 2\^53/);
  });

  it('throws nothing but WIRE_FORMAT for any changed bytes', () => {
    const raws = FORMS.map(([, { serialized }]) => fromHex(serialized));
    const edits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });

    fc.assert(
      fc.property(fc.constantFrom(...raws), edits, fc.nat(), (raw, changes, cut) => {
        const bytes = Uint8Array.from(raw);
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        const damaged = cut % 3 === 0 ? bytes.subarray(0, cut % bytes.length) : bytes;

        expect(faultOf(() => decodeTransaction(damaged))).toMatch(/^(?:none|WIRE_FORMAT)$/);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('senderOf', () => {
  const envelope = parseTransaction(fromHex(FORMS[3]?.[1].serialized ?? ''));
  const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

  it('rejects a mirrored signature with s in the upper half', () => {
    const s = ORDER - BigInt(toHex(envelope.signature.s));
    const mirrored = {
      ...envelope,
      signature: { ...envelope.signature, v: 1n - envelope.signature.v, s: fromHex(`0x${s.toString(16)}`) },
    };

    expect(() => senderOf(mirrored)).toThrow(/private key can have made/);
  });

  it.each([
    ['zeros', { r: new Uint8Array(0), s: new Uint8Array(0) }],
    ['a y parity of 2', { v: 2n }],
  ])('rejects %s', (_, part) => {
    expect(() => senderOf({ ...envelope, signature: { ...envelope.signature, ...part } })).toThrow(
      /private key can have made/,
    );
  });
});

function faultOf(attempt: () => unknown): string {
  try {
    attempt();
    return 'none';
  } catch (error) {
    return error instanceof DomainError ? error.code : String(error);
  }
}
