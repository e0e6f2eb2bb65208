import fc from 'fast-check';
import type { Eip1559Fields } from '#load/chain';

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

export const arbitraryFields: fc.Arbitrary<Eip1559Fields> = fc.record({
  chainId: uint(63),
  nonce: fc.oneof(fc.nat(300), fc.maxSafeNat()),
  maxPriorityFeePerGas: uint(128),
  maxFeePerGas: uint(128),
  gasLimit: uint(63),
  to: fc.option(bytes(20)),
  value: uint(256),
  data: fc.oneof(fc.uint8Array({ maxLength: 4 }), fc.uint8Array({ minLength: 50, maxLength: 3_000 })),
});
