import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { Curve } from './curve.ts';

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

/** The library throws for what is no signature or no point. */
function orNone<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}
