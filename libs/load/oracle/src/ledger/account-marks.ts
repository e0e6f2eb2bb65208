import type { GapReason } from '../evidence/verdict.ts';
import type { SeenNonces } from '../checks/seen-nonces.ts';
import { AccountFacts } from '../checks/nonce-track.ts';

/**
 * Reasons that excuse irregularities of an account: other senders, reorganised transactions, unread blocks.
 * Also tracks which of its nonces blocks have executed.
 */
export class AccountMarks extends AccountFacts {
  readonly #foreign = new Set<number>();
  readonly #malformed = new Set<number>();
  readonly #pending = new Set<number>();
  readonly #reorganised = new Set<number>();
  #hasReplaced = false;
  #isFeedUnconfirmed = false;
  readonly #executed: SeenNonces[] = [];
  /** The reason that applies to every account. */
  #everywhere: 'reorganised' | 'blocks_unread' | null = null;

  override excuseOf(account: number): GapReason | null {
    if (this.#foreign.has(account)) return 'foreign_transactions';
    if (this.#everywhere !== null) return this.#everywhere;
    if (!this.#reorganised.has(account)) return null;
    return this.#executed[account]?.isWhole === true ? null : 'reorganised';
  }

  override isExecuted(account: number, nonce: number): boolean {
    return (this.#executed[account]?.due ?? 0) > nonce;
  }

  /** Whether the account has a malformed receipt. */
  isMalformed(account: number): boolean {
    return this.#malformed.has(account);
  }

  get hasMalformed(): boolean {
    return this.#malformed.size > 0;
  }

  /** A block replaced before it was read has unknown contents: it may concern any account. */
  override wasReorganised(account: number): boolean {
    return this.#hasReplaced || this.#reorganised.has(account);
  }

  markReplaced(): void {
    this.#hasReplaced = true;
  }

  /** Whether the feed announced blocks that could not be confirmed. */
  get isFeedUnconfirmed(): boolean {
    return this.#isFeedUnconfirmed;
  }

  /** The transactions of those blocks may have been reverted. */
  markFeedUnconfirmed(): void {
    this.#isFeedUnconfirmed = true;
    this.#hasReplaced = true;
  }

  executed(account: number): SeenNonces | undefined {
    return this.#executed[account];
  }

  begin(account: number, nonces: SeenNonces): void {
    this.#executed[account] = nonces;
  }

  override isPending(account: number): boolean {
    return this.#pending.has(account);
  }

  markPending(account: number): void {
    this.#pending.add(account);
  }

  markForeign(account: number): void {
    this.#foreign.add(account);
  }

  markMalformed(account: number): void {
    this.#malformed.add(account);
  }

  markReorganised(account: number): void {
    this.#reorganised.add(account);
  }

  markEverywhere(reason: 'reorganised' | 'blocks_unread'): void {
    this.#everywhere ??= reason;
  }
}
