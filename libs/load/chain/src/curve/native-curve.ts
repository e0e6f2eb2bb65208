import { createRequire } from 'node:module';
import type secp256k1 from 'secp256k1';
import type { Curve } from './curve.ts';

/** libsecp256k1, or undefined where the package has no binary for this machine. */
export function nativeCurve(): Curve | undefined {
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

/** Not the package's own entry: that falls back on a slow implementation without a word. */
function loadBindings(): typeof secp256k1 | undefined {
  try {
    return createRequire(import.meta.url)('secp256k1/bindings.js') as typeof secp256k1;
  } catch {
    return undefined;
  }
}

/** The library throws for what is no signature or no point. */
function orNone<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}
