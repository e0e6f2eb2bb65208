/** The authorizations of transactions of type 4 (EIP-7702). */
import { type SignedAuthorization, signAuthorization, toHex, toQuantity } from '#load/chain';
import type { Secret } from '#platform/foundation';
import { derivedKey } from '../plan/account-keys.ts';

/** What the authorizing accounts adopt. Can be posted to a thread. */
export interface Delegation {
  readonly to: Uint8Array;
  readonly count: number;
}

/** The place of a transaction, which determines its authorizing accounts. */
export interface AuthorizationPlace {
  readonly seed: Secret;
  readonly chainId: number;
  /** Number of the sending account. */
  readonly account: number;
  readonly nonce: number;
}

const LABEL = Buffer.from('plexus authority');
const ACCOUNT_BYTES = 4;
const NONCE_BYTES = 8;
/** Of an account that has never been used. */
const FIRST_NONCE = 0;

/**
 * Each authorization is that of an account of its own, which is derived from the sender and its nonce: an
 * authorization uses a nonce of its account, and so would disturb that of a sender.
 */
export function authorizationsOf(
  { to, count }: Delegation,
  { seed, chainId, account, nonce }: AuthorizationPlace,
): readonly SignedAuthorization[] {
  const place = Buffer.alloc(ACCOUNT_BYTES + NONCE_BYTES);
  place.writeUInt32BE(account, 0);
  place.writeBigUInt64BE(BigInt(nonce), ACCOUNT_BYTES);
  const label = Buffer.concat([LABEL, place]);
  const secret = Buffer.from(seed.reveal());
  return Array.from({ length: count }, (_, at) =>
    signAuthorization({ chainId, address: to, nonce: FIRST_NONCE }, derivedKey(secret, label, at)),
  );
}

/** For a request to estimate gas. */
export function authorizationJson(authorization: SignedAuthorization): Readonly<Record<string, string>> {
  const { chainId, address, nonce, yParity, r, s } = authorization;
  const word = (bytes: Uint8Array): string => toQuantity(BigInt(toHex(bytes)));
  return {
    chainId: toQuantity(chainId),
    address: toHex(address),
    nonce: toQuantity(nonce),
    yParity: toQuantity(yParity),
    r: word(r),
    s: word(s),
  };
}
