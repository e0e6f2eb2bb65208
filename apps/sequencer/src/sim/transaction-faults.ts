/** The faults that count transactions, applied when each is sequenced. */
import { type DecodedTransaction, toHex } from '#load/chain';
import type { FaultInjector, FaultName } from '../fault-plan.ts';
import { BASE_FEE_WEI } from './chain-rules.ts';
import { type SimRefusal, REFUSALS } from './refusal.ts';
import type { WorldState } from './world-state.ts';

const GAS_OVER_LIMIT = 1;

export class TransactionFaults {
  readonly #faults: FaultInjector;
  readonly #state: WorldState;

  constructor(faults: FaultInjector, state: WorldState) {
    this.#faults = faults;
    this.#state = state;
  }

  /** Whether it is answered with its hash and dropped. */
  isDropped(transaction: DecodedTransaction, block: number): boolean {
    return this.#commits('accept_then_drop_every', transaction, block);
  }

  /** The gas spent above its limit, if the sender can pay for it. */
  extraGasOf(transaction: DecodedTransaction, block: number): number | undefined {
    if (this.#faults.valueOf('gas_over_limit_every') === undefined) return undefined;
    const { sender, gasLimit, value } = transaction;
    const cost = (gasLimit + BigInt(GAS_OVER_LIMIT)) * BASE_FEE_WEI + value;
    if (this.#state.look(sender).balance < cost) return undefined;
    return this.#commits('gas_over_limit_every', transaction, block) ? GAS_OVER_LIMIT : undefined;
  }

  /** Whether the express lane takes it out of order. */
  isHeldBack(): boolean {
    return this.#faults.isDue('lane_order_every');
  }

  /** Another transaction of the lane has passed it. */
  reportSwap(transaction: DecodedTransaction, block: number): void {
    this.#report('lane_order_every', transaction, block);
  }

  /** Whether the block's metadata state the wrong lane. */
  isMetadataWrong(transaction: DecodedTransaction, block: number): boolean {
    return this.#commits('timeboosted_wrong_every', transaction, block);
  }

  /** Whether it is sequenced although its conditions do not hold. */
  ignoresConditions(transaction: DecodedTransaction, block: number): boolean {
    return this.#commits('ignore_conditions_every', transaction, block);
  }

  /** Maximum number of times that a transaction is in the feed. */
  get timesInFeedMax(): number {
    return this.#faults.valueOf('apply_nonce_twice_every') === undefined ? 1 : 2;
  }

  /** Number of times that the transaction is in the feed. */
  timesInFeed(transaction: DecodedTransaction, block: number): number {
    return this.#commits('apply_nonce_twice_every', transaction, block) ? 2 : 1;
  }

  /** Changes the sender's account without a transaction that explains it. */
  disturbSender(transaction: DecodedTransaction, block: number): void {
    const account = this.#state.touch(transaction.sender);
    if (this.#commits('mint_wei_every', transaction, block)) account.balance += 1n;
    if (account.balance > 0n && this.#commits('steal_wei_every', transaction, block)) account.balance -= 1n;
    if (this.#commits('skip_nonce_every', transaction, block)) account.skippedNonces += 1;
  }

  /** The error returned to its sender although it is included. */
  lieAbout(transaction: DecodedTransaction, block: number): SimRefusal | undefined {
    return this.#commits('error_but_include_every', transaction, block) ? REFUSALS.queueTimeout : undefined;
  }

  #commits(name: FaultName, transaction: DecodedTransaction, block: number): boolean {
    if (!this.#faults.isDue(name)) return false;
    this.#report(name, transaction, block);
    return true;
  }

  #report(name: FaultName, { hash, sender, nonce }: DecodedTransaction, block: number): void {
    const facts = { hash: toHex(hash), account: toHex(sender), nonce, block_number: block };
    this.#faults.report(name, facts);
  }
}
