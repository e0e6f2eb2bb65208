import type { Secret } from '#platform/foundation';
import { derivedKey } from '../plan/account-keys.ts';
import { keyOf } from './private-key.ts';

const LABEL = Buffer.from('plexus funding');
/** Of the accounts between the funder and those it pays. */
export const GROUPS_MAX = 128;

/** The key of an account in between: keccak256(key ‖ "plexus funding" ‖ number as u32be). */
export function betweenKey(funderKey: Uint8Array, number: number): Uint8Array {
  return derivedKey(funderKey, LABEL, number);
}

/** All of them, for whoever looks for what a crash has left there. */
export function betweenKeys(funderKey: Secret): readonly Uint8Array[] {
  const key = keyOf(funderKey);
  return Array.from({ length: GROUPS_MAX }, (_, number) => betweenKey(key, number));
}
