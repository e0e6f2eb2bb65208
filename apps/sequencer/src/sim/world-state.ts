import type { Address } from '#load/chain';
import { Account } from './account.ts';

const HISTORY_LENGTH_TO_TRIM = 1_024;

/** All accounts, as they are and as they were at the end of each block. */
export class WorldState {
  readonly #accounts = new Map<string, Account>();
  readonly #touched = new Set<Account>();

  /** The account to change; it is made when there is none. {@link commit} writes its history. */
  touch(address: Address): Account {
    const key = keyOf(address);
    let account = this.#accounts.get(key);
    if (account === undefined) {
      account = new Account(Uint8Array.from(address));
      this.#accounts.set(key, account);
    }
    this.#touched.add(account);
    return account;
  }

  /** The account to look at; an empty one when nothing has ever touched it. */
  look(address: Address): Account {
    return this.#accounts.get(keyOf(address)) ?? new Account(address);
  }

  /** Ends a block: what was touched has from now on been so at its end. */
  commit(block: number, firstKeptBlock: number): void {
    for (const { history, balance, toldNonce } of this.#touched) {
      history.append(block, balance, toldNonce);
      // Doubled lengths make the copying cheap.
      if (history.length >= HISTORY_LENGTH_TO_TRIM && Number.isInteger(Math.log2(history.length))) {
        history.forgetBefore(firstKeptBlock);
      }
    }
    this.#touched.clear();
  }
}

/** Twenty bytes as a text of twenty characters: the cheapest key of a map. */
function keyOf(address: Address): string {
  return Buffer.from(address.buffer, address.byteOffset, address.length).toString('latin1');
}
