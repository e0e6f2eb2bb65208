/**
 * secp256k1: the native library where it is built for this machine, else the same in JavaScript, a good five
 * times as slow. `signingBackend` says which.
 */
import type { Curve } from './curve.ts';
import { nativeCurve } from './native-curve.ts';
import { nobleCurve } from './noble-curve.ts';

export const curve: Curve = nativeCurve() ?? nobleCurve;

/** What signs on this machine. */
export const signingBackend = curve.name;
