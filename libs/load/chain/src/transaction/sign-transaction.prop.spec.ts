import { describe, expect, it } from '@jest/globals';
import { Signature, SigningKey, Transaction, verifyAuthorization } from 'ethers';
import fc from 'fast-check';
import { arbitraryFields, arbitraryTypedFields, privateKeys } from '../../test/arbitrary-fields.ts';
import { toHex } from '../bytes/hex.ts';
import { addressOf, checksumAddress } from '../crypto/address.ts';
import { curve, nobleCurve, signingBackend } from '../crypto/signing-curve.ts';
import { keccak256 } from '../crypto/keccak256.ts';
import { decodeTransaction } from './sender.ts';
import { signAuthorization, signTransaction, type TransactionFields } from './sign-transaction.ts';

function signedByEthers(fields: TransactionFields, privateKey: Uint8Array): Transaction {
  const { type = 2, to, data, chainId, gasLimit, maxFeePerGas, nonce, value } = fields;
  const transaction = Transaction.from({
    type,
    to: to === null ? null : toHex(to),
    data: toHex(data),
    chainId,
    gasLimit,
    nonce,
    value,
    ...(type < 2 ? { gasPrice: maxFeePerGas } : feeCaps(fields)),
    ...(type > 0 && { accessList: accessListOf(fields) }),
    ...(type === 4 && { authorizationList: authorizationsOf(fields) }),
  });
  transaction.signature = new SigningKey(privateKey).sign(transaction.unsignedHash);
  return transaction;
}

function feeCaps({ maxFeePerGas, maxPriorityFeePerGas }: TransactionFields) {
  return { maxFeePerGas, maxPriorityFeePerGas };
}

function accessListOf({ accessList = [] }: TransactionFields) {
  return accessList.map(({ address, storageKeys }) => ({
    address: checksumAddress(address),
    storageKeys: storageKeys.map(toHex),
  }));
}

function authorizationsOf({ authorizations = [] }: TransactionFields) {
  return authorizations.map(({ chainId, address, nonce, yParity, r, s }) => ({
    address: checksumAddress(address),
    nonce: BigInt(nonce),
    chainId: BigInt(chainId),
    signature: Signature.from({ yParity: yParity === 0 ? 0 : 1, r: toHex(r), s: toHex(s) }),
  }));
}

/** Excludes a priority fee above the maximum fee, which the format allows and ethers rejects. */
const withOrderedFees = (fields: TransactionFields): TransactionFields => ({
  ...fields,
  maxFeePerGas: fields.maxFeePerGas + fields.maxPriorityFeePerGas,
});

describe('signTransaction', () => {
  it('returns the same bytes and hash as ethers, in every type', () => {
    fc.assert(
      fc.property(arbitraryTypedFields.map(withOrderedFees), privateKeys, (fields, key) => {
        const { raw, hash } = signTransaction(fields, key);

        const expected = signedByEthers(fields, key);
        expect(toHex(raw)).toBe(expected.serialized);
        expect(toHex(hash)).toBe(expected.hash);
      }),
      { numRuns: 200 },
    );
  });

  it('is the inverse of decodeTransaction', () => {
    fc.assert(
      fc.property(arbitraryFields, privateKeys, (fields, key) => {
        const { raw, hash } = signTransaction(fields, key);

        const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, value, data, ...rest } =
          decodeTransaction(raw);
        expect({
          chainId,
          nonce,
          maxPriorityFeePerGas,
          maxFeePerGas,
          gasLimit,
          to: to === null ? null : Uint8Array.from(to),
          value,
          data: Uint8Array.from(data),
        }).toEqual(fields);
        expect(toHex(rest.hash)).toBe(toHex(hash));
        expect(toHex(rest.sender)).toBe(toHex(keccak256(curve.publicKeyOf(key).subarray(1)).subarray(12)));
      }),
      { numRuns: 200 },
    );
  });

  it('is read back by decodeTransaction in every type', () => {
    fc.assert(
      fc.property(arbitraryTypedFields, privateKeys, (fields, key) => {
        const { type = 2, accessList = [], authorizations = [] } = fields;

        const decoded = decodeTransaction(signTransaction(fields, key).raw);

        expect(decoded.type).toBe(type);
        expect(decoded.chainId).toBe(BigInt(fields.chainId));
        expect(decoded.maxPriorityFeePerGas).toBe(
          type < 2 ? fields.maxFeePerGas : fields.maxPriorityFeePerGas,
        );
        expect(decoded.accessList.length).toBe(accessList.length);
        expect(decoded.authorizationCount).toBe(authorizations.length);
        expect(toHex(decoded.sender)).toBe(toHex(addressOf(curve.publicKeyOf(key).subarray(1))));
      }),
      { numRuns: 100 },
    );
  });

  it('signs an authorization that recovers to its account', () => {
    fc.assert(
      fc.property(privateKeys, fc.nat(1_000), (key, nonce) => {
        const address = Buffer.alloc(20, 7);

        const { yParity, r, s } = signAuthorization({ chainId: 412_346, address, nonce }, key);

        const signature = { yParity: yParity === 0 ? 0 : 1, r: toHex(r), s: toHex(s) } as const;
        const fields = { address: checksumAddress(address), nonce, chainId: 412_346 };
        const account = verifyAuthorization(fields, Signature.from(signature));
        expect(account).toBe(checksumAddress(addressOf(curve.publicKeyOf(key).subarray(1))));
      }),
      { numRuns: 30 },
    );
  });

  it('returns results that later calls do not change', () => {
    const key = Buffer.alloc(32, 7);
    const fields: TransactionFields = {
      chainId: 1,
      nonce: 1,
      maxPriorityFeePerGas: 0n,
      maxFeePerGas: 1n,
      gasLimit: 21_000n,
      to: null,
      value: 0n,
      data: Buffer.from('6001', 'hex'),
    };
    const first = signTransaction(fields, key);
    const before = toHex(first.raw);

    signTransaction({ ...fields, nonce: 2, data: Buffer.alloc(5_000, 1) }, key);

    expect(toHex(first.raw)).toBe(before);
    expect(first.raw.buffer.byteLength).toBe(first.raw.length);
  });

  it('uses the native library on this machine', () => {
    expect(signingBackend).toBe('secp256k1');
  });
});

describe('nobleCurve', () => {
  it('signs, recovers and derives public keys like the native library', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), privateKeys, (hash, key) => {
        const signature = nobleCurve.sign(hash, key);

        const publicKey = nobleCurve.publicKeyOf(key);
        expect(toHex(signature.signature)).toBe(toHex(curve.sign(hash, key).signature));
        expect(signature.yParity).toBe(curve.sign(hash, key).yParity);
        expect(toHex(publicKey)).toBe(toHex(curve.publicKeyOf(key)));
        expect(nobleCurve.recover(hash, signature)).toEqual(publicKey);
        expect(nobleCurve.uncompressed(publicKey)).toEqual(publicKey);
        expect(curve.recover(hash, signature)).toEqual(publicKey);
      }),
      { numRuns: 20 },
    );
  });

  it.each([0, 0xff])('rejects invalid signatures and keys like the native library (bytes %i)', (byte) => {
    const broken = { signature: Buffer.alloc(64, byte), yParity: 0 };

    expect(nobleCurve.recover(Buffer.alloc(32, 1), broken)).toBeUndefined();
    expect(curve.recover(Buffer.alloc(32, 1), broken)).toBeUndefined();
    expect(nobleCurve.uncompressed(Buffer.alloc(33, byte))).toBeUndefined();
    expect(curve.uncompressed(Buffer.alloc(33, byte))).toBeUndefined();
    expect(nobleCurve.isPrivateKey(Buffer.alloc(32, byte))).toBe(false);
    expect(curve.isPrivateKey(Buffer.alloc(32, byte))).toBe(false);
  });
});
