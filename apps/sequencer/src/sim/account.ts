import type { Address } from '#load/chain';

const NO_CODE = new Uint8Array(0);

export class Account {
  readonly address: Address;
  readonly history = new AccountHistory();
  balance = 0n;
  /** Nonce of the next transaction. */
  nonce = 0;
  /** Difference of the reported nonce to it (fault `skip_nonce_every`). */
  skippedNonces = 0;
  code = NO_CODE;

  constructor(address: Address) {
    this.address = address;
  }

  /** The nonce reported by the chain. */
  get reportedNonce(): number {
    return this.nonce + this.skippedNonces;
  }

  get isContract(): boolean {
    return this.code.length > 0;
  }
}

/** The account's state at the end of each block that changed it, in the order of blocks. */
export class AccountHistory {
  #blocks: number[] = [];
  #balances: bigint[] = [];
  #nonces: number[] = [];

  /** Block numbers must increase. */
  append(block: number, balance: bigint, nonce: number): void {
    this.#blocks.push(block);
    this.#balances.push(balance);
    this.#nonces.push(nonce);
  }

  balanceAt(block: number): bigint {
    return this.#balances[this.#indexAt(block)] ?? 0n;
  }

  nonceAt(block: number): number {
    return this.#nonces[this.#indexAt(block)] ?? 0;
  }

  /** Removes entries that are not needed for `block` and later ones. */
  forgetBefore(block: number): void {
    const first = this.#indexAt(block);
    if (first < 1) return;
    this.#blocks = this.#blocks.slice(first);
    this.#balances = this.#balances.slice(first);
    this.#nonces = this.#nonces.slice(first);
  }

  get length(): number {
    return this.#blocks.length;
  }

  /** The last entry at or before `block`; −1 if there is none. */
  #indexAt(block: number): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#blocks[middle] ?? Infinity) <= block) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
