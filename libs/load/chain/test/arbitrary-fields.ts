import fc from 'fast-check';
import { signAuthorization, type TransactionFields } from '#load/chain';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
/** Small and large integers, including those whose bytes start with zeros. */
const uint = (bits: number) =>
  fc
    .tuple(fc.integer({ min: 0, max: bits }), fc.bigInt(0n, (1n << BigInt(bits)) - 1n))
    .map(([shift, value]) => value >> BigInt(shift));

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

export const privateKeys = fc
  .bigInt(1n, ORDER - 1n)
  .map((key) => Buffer.from(key.toString(16).padStart(64, '0'), 'hex'));

/** Fields of type 2, without an access list. */
export const arbitraryFields: fc.Arbitrary<TransactionFields> = fc.record({
  chainId: uint(63),
  nonce: fc.oneof(fc.nat(300), fc.maxSafeNat()),
  maxPriorityFeePerGas: uint(128),
  maxFeePerGas: uint(128),
  gasLimit: uint(63),
  to: fc.option(bytes(20)),
  value: uint(256),
  data: fc.oneof(fc.uint8Array({ maxLength: 4 }), fc.uint8Array({ minLength: 50, maxLength: 3_000 })),
});

const accessLists = fc.array(
  fc.record({ address: bytes(20), storageKeys: fc.array(bytes(32), { maxLength: 3 }) }),
  { maxLength: 3 },
);

const authorizations = fc.array(
  fc
    .tuple(uint(63), bytes(20), fc.nat(1_000), privateKeys)
    .map(([chainId, address, nonce, key]) => signAuthorization({ chainId, address, nonce }, key)),
  { minLength: 1, maxLength: 3 },
);

/** Fields of every type, with the lists that it has. */
export const arbitraryTypedFields: fc.Arbitrary<TransactionFields> = fc
  .tuple(arbitraryFields, fc.constantFrom<0 | 1 | 2 | 4>(0, 1, 2, 4), accessLists, authorizations, bytes(20))
  .map(([fields, type, accessList, list, receiver]) => ({
    ...fields,
    type,
    // Without a chain id, a legacy transaction would be valid on every chain, which none is.
    ...(type === 0 && fields.chainId === 0n && { chainId: 1n }),
    ...(type !== 0 && { accessList }),
    ...(type === 4 && { authorizations: list, to: fields.to ?? receiver }),
  }));
