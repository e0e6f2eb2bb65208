import { type Address, toHex } from '#load/chain';
import { type JsonRpc, readNumber } from '../rpc/json-rpc.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';
import type { NonceLine } from '../transaction/nonce-line.ts';

export interface NonceRecoveryOptions {
  readonly rpc: JsonRpc;
  readonly lineOf: (position: number) => NonceLine;
  readonly addressOf: (position: number) => Address;
  /** Time after which no sent transaction can still arrive. */
  readonly lateMs: number;
  /** Called after the line was updated with the chain's count. */
  readonly onCounted: (position: number) => void;
}

const PERIOD_MS = 250;
const COUNTS_A_PERIOD = 1_000;

/**
 * Queries the chain for the counts of accounts with an unclear nonce line: soon at first, then repeatedly
 * until the line is clear. An account in doubt sends nothing.
 */
export class NonceRecovery {
  readonly #options: NonceRecoveryOptions;
  /** The time since which each account's line has been unclear. */
  readonly #unclear = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;
  #isAsking = false;
  #isClosed = false;

  constructor(options: NonceRecoveryOptions) {
    this.#options = options;
  }

  /** The account's line may have become unclear. */
  watch(position: number, nowMs: number): void {
    if (this.#isClosed || this.#unclear.has(position)) return;
    if (!this.#options.lineOf(position).isPaused) return;
    this.#unclear.set(position, nowMs);
    this.#timer ??= setInterval(() => void this.#ask(), PERIOD_MS);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#unclear.clear();
  }

  async #ask(): Promise<void> {
    const positions = this.#due();
    if (this.#isAsking || positions.length === 0) return;
    this.#isAsking = true;
    try {
      const params = positions.map((position) => [toHex(this.#options.addressOf(position)), 'latest']);
      const counts = await this.#options.rpc.callMany('eth_getTransactionCount', params, readNumber);
      for (const [at, position] of positions.entries()) this.#applyCount(position, counts[at] ?? 0);
    } catch (error) {
      // The RPC is unavailable: the lines stay paused, and are queried again.
      if (!(error instanceof RpcFailure)) throw error;
    } finally {
      this.#isAsking = false;
    }
  }

  /** The accounts for which the count is useful now; those cleared by the feed are removed. */
  #due(): readonly number[] {
    const due: number[] = [];
    for (const position of this.#unclear.keys()) {
      const line = this.#options.lineOf(position);
      if (!line.isPaused) this.#unclear.delete(position);
      else if (line.wantsCount && due.length < COUNTS_A_PERIOD) due.push(position);
    }
    return due;
  }

  #applyCount(position: number, count: number): void {
    const { lineOf, lateMs, onCounted } = this.#options;
    const sinceMs = this.#unclear.get(position);
    const line = lineOf(position);
    if (sinceMs === undefined || !line.wantsCount) return;
    line.counted(count, performance.now() - sinceMs >= lateMs);
    if (!line.isPaused) this.#unclear.delete(position);
    onCounted(position);
  }
}
