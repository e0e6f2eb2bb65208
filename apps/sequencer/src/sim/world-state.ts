import type { Address } from '#load/chain';
import { Account } from './account.ts';

const HISTORY_LENGTH_TO_TRIM = 1_024;

/** All accounts, with their current state and their state at the end of each block. */
export class WorldState {
  readonly #accounts = new Map<string, Account>();
  readonly #touched = new Set<Account>();

  /** The account for changes, created if missing. {@link commit} writes its history. */
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

  /** The account for reads; empty if it was never changed. */
  look(address: Address): Account {
    return this.#accounts.get(keyOf(address)) ?? new Account(address);
  }

  /** Ends a block: records the state of changed accounts at its end. */
  commit(block: number, firstKeptBlock: number): void {
    for (const { history, balance, reportedNonce } of this.#touched) {
      history.append(block, balance, reportedNonce);
      // Doubling the length keeps copying cheap.
      if (history.length >= HISTORY_LENGTH_TO_TRIM && Number.isInteger(Math.log2(history.length))) {
        history.forgetBefore(firstKeptBlock);
      }
    }
    this.#touched.clear();
  }
}

/** Twenty bytes as a string of twenty characters: the cheapest map key. */
function keyOf(address: Address): string {
  return Buffer.from(address.buffer, address.byteOffset, address.length).toString('latin1');
}
