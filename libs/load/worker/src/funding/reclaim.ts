import { type Address, toHex } from '#load/chain';
import { countedText, pause } from '#platform/foundation';
import { JsonRpc, readBigInt } from '../rpc/json-rpc.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';
import type { Fees } from '../transaction/signing-order.ts';
import { estimateGas, feesAt, readHead } from './chain-view.ts';
import { Standstill } from './standstill.ts';
import { Wallet, type WalletTarget } from './wallet.ts';

export interface ReclaimOptions {
  readonly target: WalletTarget;
  readonly to: Address;
  readonly addresses: readonly Address[];
  readonly keyOf: (position: number) => Uint8Array;
  /** The gas limit of each payment; undefined: estimated by the node. */
  readonly gasLimit?: bigint | undefined;
  /** Time without a payment after which the rest is given up. Default 30 s. */
  readonly standstillMs?: number;
  /** Aborted to give up the rest. */
  readonly signal?: AbortSignal;
}

/** The result of a reclaim, by the balances on the chain. */
export interface Reclaimed {
  readonly accounts: number;
  /** The amount that has left the accounts. */
  readonly sentWei: bigint;
  /** The balances of the accounts that hold more than a payment costs. */
  readonly leftWei: bigint;
  /** Number of these accounts. */
  readonly leftAccounts: number;
  /** The reason of the last failed payment. */
  readonly reason: string | null;
}

/** A payment that was accepted, and is not known to be in a block. */
interface Payment {
  readonly position: number;
  /** The account's balance before it. */
  readonly balance: bigint;
  readonly wei: bigint;
}

const AT_ONCE = 64;
const FEE_MULTIPLIER = 2;
const PATIENCE_MS = 30_000;
const ROUNDS = 3;
const STANDSTILL_MS = 30_000;
const POLL_MS = 200;
/** Blocks after which a payment that is in none of them was dropped. */
const BLOCKS_A_ROUND = 3;
/** Time without a new block after which none is expected, if payments were accepted, and if none was. */
const NO_BLOCK_MS = 15_000;
const NO_PAYMENT_MS = 1_000;
const SAMPLE = 100;
const IN_NO_BLOCK = 'payments were accepted, and are in no block';
const NOTHING = new Uint8Array(0);

/**
 * Sends the accounts' balances, less the fee, back to the funder. A failed payment is repeated in the next
 * round, after a block: pending transactions may have prevented it. Throws RPC_FAILED if the balances cannot
 * be read.
 */
export async function reclaim(options: ReclaimOptions): Promise<Reclaimed> {
  const { target, standstillMs = STANDSTILL_MS, signal } = options;
  const { url, sendUrl, timeoutMs, headers } = target;
  const limits = { connections: AT_ONCE, patienceMs: timeoutMs };
  const rpc = new JsonRpc({ url, sendUrl, timeoutMs, headers, ...limits });
  const standstill = new Standstill({ rpc, standstillMs, signal });
  try {
    const [first] = options.addresses;
    if (first === undefined) return { accounts: 0, sentWei: 0n, leftWei: 0n, leftAccounts: 0, reason: null };
    const payload = { to: options.to, value: 0n, data: NOTHING };
    const gas = options.gasLimit ?? (await estimateGas(rpc, first, payload));
    return await new Sweep(rpc, options, { gas, standstill }).inRounds();
  } finally {
    await standstill.end();
  }
}

/** The fields of a log message. */
export function reclaimedFields({
  accounts,
  sentWei,
  leftWei,
  leftAccounts,
  reason,
}: Reclaimed): Readonly<Record<string, unknown>> {
  const wei = { sent_wei: String(sentWei), left_wei: String(leftWei) };
  return { accounts, ...wei, left_accounts: leftAccounts, ...(reason !== null && { reason }) };
}

/** What remains on accounts, for a finding. */
export function leftText({ leftWei, leftAccounts, reason }: Reclaimed): string {
  return `${leftWei} wei on ${countedText(leftAccounts, 'account')}: ${reason ?? ''}`;
}

class Sweep {
  readonly #rpc: JsonRpc;
  readonly #options: ReclaimOptions;
  readonly #gas: bigint;
  readonly #standstill: Standstill;
  #sentWei = 0n;
  #reason: string | null = null;

  constructor(
    rpc: JsonRpc,
    options: ReclaimOptions,
    { gas, standstill }: { readonly gas: bigint; readonly standstill: Standstill },
  ) {
    this.#rpc = rpc;
    this.#options = options;
    this.#gas = gas;
    this.#standstill = standstill;
  }

  async inRounds(): Promise<Reclaimed> {
    let balances = await this.#balances();
    let costWei = 0n;
    for (let round = 1; round <= ROUNDS; round++) {
      const { priorityFee } = this.#options.target;
      const head = await readHead(this.#rpc);
      const fees = feesAt(head, FEE_MULTIPLIER, priorityFee);
      costWei = this.#gas * fees.maxFee;
      if (!balances.some((balance) => balance > costWei)) break;
      const { payments, failure } = await this.#pay(balances, fees);
      // The client is closed after a standstill: what is left cannot be read any more.
      if (this.#rpc.closing.aborted) return this.#leftOf(balances, costWei);
      await this.#waitForBlocks(payments, head.number);
      balances = await this.#balances();
      const isPaid = ({ position, balance, wei }: Payment): boolean =>
        (balances[position] ?? balance) <= balance - wei;
      for (const payment of payments) if (isPaid(payment)) this.#sentWei += payment.wei;
      if (payments.some(isPaid)) this.#standstill.moved();
      this.#reason = failure ?? (payments.every(isPaid) ? null : IN_NO_BLOCK);
    }
    return this.#leftOf(balances, costWei);
  }

  async #pay(
    balances: readonly bigint[],
    fees: Fees,
  ): Promise<{ readonly payments: readonly Payment[]; readonly failure: string | null }> {
    const { to, keyOf, target } = this.#options;
    const context = { rpc: this.#rpc, chainId: target.chainId, fees, patienceMs: PATIENCE_MS };
    const payments: Payment[] = [];
    let failure: string | null = null;
    const waiting = balances.entries();
    const work = async (): Promise<void> => {
      for (const [position, balance] of waiting) {
        const wei = balance - this.#gas * fees.maxFee;
        if (wei <= 0n) continue;
        try {
          const wallet = await Wallet.open(keyOf(position), context);
          await wallet.send({ to, value: wei, data: NOTHING }, this.#gas);
          payments.push({ position, balance, wei });
          this.#standstill.moved();
        } catch (error) {
          if (!(error instanceof RpcFailure)) throw error;
          failure = error.message;
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return { payments, failure };
  }

  /** Waits until the payments are in blocks, or there were enough blocks for them. */
  async #waitForBlocks(payments: readonly Payment[], from: number): Promise<void> {
    const sample = payments.slice(0, SAMPLE);
    const params = sample.map(({ position }) => [this.#addressAt(position), 'latest']);
    const noBlockMs = payments.length === 0 ? NO_PAYMENT_MS : NO_BLOCK_MS;
    let reached = from;
    let sinceMs = performance.now();
    while (!this.#rpc.closing.aborted) {
      const held = await this.#rpc.callMany('eth_getBalance', params, readBigInt);
      const isOver = sample.every(({ balance, wei }, at) => (held[at] ?? balance) <= balance - wei);
      if (isOver && payments.length > 0) return;
      const { number: head } = await readHead(this.#rpc);
      if (head > reached) sinceMs = performance.now();
      reached = Math.max(reached, head);
      if (reached >= from + BLOCKS_A_ROUND || performance.now() - sinceMs >= noBlockMs) return;
      await pause(POLL_MS, this.#rpc.closing);
    }
  }

  #leftOf(balances: readonly bigint[], costWei: bigint): Reclaimed {
    // More than twice the cost: after a payment, up to the cost remains, and fees may have fallen since.
    const left = balances.filter((balance) => balance > 2n * costWei);
    const leftWei = left.reduce((sum, balance) => sum + balance, 0n);
    const { length: accounts } = this.#options.addresses;
    const reason = left.length === 0 ? null : this.#reason;
    return { accounts, sentWei: this.#sentWei, leftWei, leftAccounts: left.length, reason };
  }

  /** Nothing is to be sent from the funder itself, which may be one of the accounts. */
  async #balances(): Promise<readonly bigint[]> {
    const params = this.#options.addresses.map((_, position) => [this.#addressAt(position), 'latest']);
    const balances = await this.#rpc.callMany('eth_getBalance', params, readBigInt);
    const funder = toHex(this.#options.to);
    return balances.map((balance, position) => (this.#addressAt(position) === funder ? 0n : balance));
  }

  #addressAt(position: number): string {
    return toHex(this.#options.addresses[position] ?? NOTHING);
  }
}
