import { fromHex, isPrivateKey } from '#load/chain';
import { DomainError, Secret } from '#platform/foundation';
import { derivedKey } from '../plan/account-keys.ts';

/** The key of anvil's first account, which development chains prefund; it is public. */
export const DEVELOPMENT_FUNDER_KEY = new Secret(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
);

const KEY = /^(?:0x)?([0-9a-fA-F]{64})$/;

/** The bytes of a private key in hexadecimal. Throws INVALID_CONFIG, without the text. */
export function keyOf(secret: Secret): Uint8Array {
  const [, digits] = KEY.exec(secret.reveal().trim()) ?? [];
  const key = digits === undefined ? undefined : fromHex(`0x${digits}`);
  if (key !== undefined && isPrivateKey(key)) return key;
  throw new DomainError('INVALID_CONFIG', 'expected a private key of 64 hexadecimal digits');
}

const LABEL = Buffer.from('plexus funding');
/** Maximum number of in-between accounts. */
export const GROUPS_MAX = 128;

/** The key of an in-between account: keccak256(key ‖ "plexus funding" ‖ number as u32be). */
export function betweenKey(funderKey: Uint8Array, number: number): Uint8Array {
  return derivedKey(funderKey, LABEL, number);
}

/** The keys of all in-between accounts, to find funds left there by a crash. */
export function betweenKeys(funderKey: Secret): readonly Uint8Array[] {
  const key = keyOf(funderKey);
  return Array.from({ length: GROUPS_MAX }, (_, number) => betweenKey(key, number));
}
