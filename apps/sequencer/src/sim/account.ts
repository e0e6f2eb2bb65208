import type { Address } from '#load/chain';

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

/** What an account had at the end of the blocks that changed it, in order of blocks. */
export class AccountHistory {
  #blocks: number[] = [];
  #balances: bigint[] = [];
  #nonces: number[] = [];

  /** Blocks only ever go on. */
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

  /** Forgets what nobody can ask for who asks for `block` or a later one. */
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

  /** The last entry of `block` or before it; −1 when there is none. */
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
