/**
 * secp256k1: the native library if it is built for this machine, else a JavaScript implementation, which
 * takes more than five times as long. `signingBackend` names the chosen one.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { createRequire } from 'node:module';
import type bindings from 'secp256k1';

/** The functions of secp256k1 used for transactions. */
interface Curve {
  readonly name: 'secp256k1' | 'noble';
  /** r ‖ s (64 bytes, s in the lower half of the order) and the parity of the point's y, by RFC 6979. */
  sign(hash: Uint8Array, privateKey: Uint8Array): RecoverableSignature;
  /** The signer's uncompressed public key (65 bytes); undefined for an invalid signature. */
  recover(hash: Uint8Array, signature: RecoverableSignature): Uint8Array | undefined;
  /** The uncompressed public key of a private key. */
  publicKeyOf(privateKey: Uint8Array): Uint8Array;
  /** The uncompressed form of a 33- or 65-byte public key; undefined if it is not a point of the curve. */
  uncompressed(publicKey: Uint8Array): Uint8Array | undefined;
  isPrivateKey(bytes: Uint8Array): boolean;
}

interface RecoverableSignature {
  readonly signature: Uint8Array;
  readonly yParity: number;
}

/** libsecp256k1, or undefined if the package has no binary for this machine. */
function nativeCurve(): Curve | undefined {
  const library = loadBindings();
  if (library === undefined) return undefined;
  return {
    name: 'secp256k1',
    sign: (hash, privateKey) => {
      const { signature, recid } = library.ecdsaSign(hash, privateKey);
      return { signature, yParity: recid };
    },
    recover: (hash, { signature, yParity }) =>
      orNone(() => library.ecdsaRecover(signature, yParity, hash, false)),
    publicKeyOf: (privateKey) => library.publicKeyCreate(privateKey, false),
    uncompressed: (publicKey) => orNone(() => library.publicKeyConvert(publicKey, false)),
    isPrivateKey: (bytes) => bytes.length === 32 && library.privateKeyVerify(bytes),
  };
}

/** Bypasses the package's entry point, which silently falls back to a slow implementation. */
function loadBindings(): typeof bindings | undefined {
  try {
    return createRequire(import.meta.url)('secp256k1/bindings.js') as typeof bindings;
  } catch {
    return undefined;
  }
}

/** Undefined if the attempt throws, as the libraries do for an invalid signature or point. */
function orNone<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}

const AS_IT_IS = { prehash: false } as const;

/** secp256k1 in JavaScript, for machines without the native library. */
export const nobleCurve: Curve = {
  name: 'noble',
  sign: (hash, privateKey) => {
    const bytes = secp256k1.sign(hash, privateKey, { ...AS_IT_IS, format: 'recovered' });
    return { signature: bytes.subarray(1), yParity: bytes[0] ?? 0 };
  },
  recover: (hash, { signature, yParity }) =>
    orNone(() => {
      const key = secp256k1.recoverPublicKey(Uint8Array.of(yParity, ...signature), hash, AS_IT_IS);
      return secp256k1.Point.fromBytes(key).toBytes(false);
    }),
  publicKeyOf: (privateKey) => secp256k1.getPublicKey(privateKey, false),
  uncompressed: (publicKey) => orNone(() => secp256k1.Point.fromBytes(publicKey).toBytes(false)),
  isPrivateKey: (bytes) => secp256k1.utils.isValidSecretKey(bytes),
};

export const curve: Curve = nativeCurve() ?? nobleCurve;

/** The implementation used on this machine. */
export const signingBackend = curve.name;
