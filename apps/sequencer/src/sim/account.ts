import type { Address } from '#load/chain';
import { AccountHistory } from './account-history.ts';

const NO_CODE = new Uint8Array(0);

export class Account {
  readonly address: Address;
  readonly history = new AccountHistory();
  balance = 0n;
  /** Of the next transaction. */
  nonce = 0;
  /** How far the nonce that the chain tells is ahead of that (fault `skip_nonce_every`). */
  skippedNonces = 0;
  code = NO_CODE;

  constructor(address: Address) {
    this.address = address;
  }

  /** The nonce that the chain tells. */
  get toldNonce(): number {
    return this.nonce + this.skippedNonces;
  }

  get isContract(): boolean {
    return this.code.length > 0;
  }
}
