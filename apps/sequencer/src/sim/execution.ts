/**
 * Applies transactions to the state. A rejected one changes nothing; a failed one pays for its gas, advances
 * the nonce and moves no value.
 *
 *   gas used  = intrinsic + parent chain's data + execution; the whole limit if it is not sufficient
 *   fee       = gas used × base fee, to the network's account
 */
import { type Address, contractAddress, type DecodedTransaction, fromHex } from '#load/chain';
import type { Account } from './account.ts';
import { BASE_FEE_WEI, codeDepositGas, intrinsicGas, parentChainGas } from './chain-rules.ts';
import { feeRefusal, fundsRefusal, nonceRefusal, type SimRefusal, REFUSALS, tipRefusal } from './refusal.ts';
import type { TokenLedger } from './token.ts';
import type { WorldState } from './world-state.ts';

/** The receipt fields of an included transaction. */
export interface ExecutionResult {
  readonly isSuccess: boolean;
  readonly gasUsed: number;
  readonly gasUsedForParentChain: number;
  /** The created contract. */
  readonly contract: Address | null;
}

/** Receives all fees. */
const NETWORK_FEE_ACCOUNT = fromHex('0xa4b000000000000000000073657175656e636572');

export class Execution {
  readonly #state: WorldState;
  readonly #tokens: TokenLedger;

  constructor(state: WorldState, tokens: TokenLedger) {
    this.#state = state;
    this.#tokens = tokens;
  }

  /**
   * Why a transaction cannot be sequenced now; a too high nonce is checked last.
   */
  refusalOf(transaction: DecodedTransaction): SimRefusal | undefined {
    const { maxFeePerGas, maxPriorityFeePerGas, gasLimit, nonce, value, sender, raw } = transaction;
    if (maxFeePerGas < BASE_FEE_WEI) return feeRefusal(transaction);
    if (maxPriorityFeePerGas > maxFeePerGas) return tipRefusal(transaction);
    const account = this.#state.look(sender);
    if (nonce < account.nonce) return nonceRefusal(transaction, account);
    if (gasLimit < BigInt(intrinsicGas(transaction) + parentChainGas(raw.length)))
      return REFUSALS.intrinsicGas;
    const cost = gasLimit * maxFeePerGas + value;
    if (account.balance < cost) return fundsRefusal(transaction, account.balance, cost);
    const isNext = nonce === account.nonce || nonce === account.reportedNonce;
    return isNext ? undefined : nonceRefusal(transaction, account);
  }

  /** Executes a valid transaction. `extraGas` is spent above its limit (a fault). */
  apply(transaction: DecodedTransaction, extraGas?: number): ExecutionResult {
    const account = this.#state.touch(transaction.sender);
    this.#advanceNonce(account, transaction.nonce);
    const gasUsedForParentChain = parentChainGas(transaction.raw.length);
    const gasBefore = intrinsicGas(transaction) + gasUsedForParentChain;
    const gasLeft = Number(transaction.gasLimit) - gasBefore;
    const { gas, isReverted, contract } = this.#run(transaction, gasLeft);
    const gasUsed = extraGas === undefined ? gasBefore + gas : Number(transaction.gasLimit) + extraGas;
    this.#move(account, this.#state.touch(NETWORK_FEE_ACCOUNT), BigInt(gasUsed) * BASE_FEE_WEI);
    return { isSuccess: !isReverted, gasUsed, gasUsedForParentChain, contract };
  }

  #run(transaction: DecodedTransaction, gasLeft: number): RunOutcome {
    const { to } = transaction;
    const receiver = to === null ? this.#contractOf(transaction) : this.#state.touch(to);
    const outcome = to === null ? create(transaction, gasLeft) : this.#call(transaction, receiver, gasLeft);
    if (outcome.isReverted) return { ...outcome, contract: null };
    if (to === null) {
      receiver.code = Uint8Array.from(transaction.data);
      receiver.nonce = 1;
    }
    this.#move(this.#state.touch(transaction.sender), receiver, transaction.value);
    return { ...outcome, contract: to === null ? receiver.address : null };
  }

  #contractOf({ sender, nonce }: DecodedTransaction): Account {
    return this.#state.touch(contractAddress(sender, nonce));
  }

  #call(
    { sender, data }: DecodedTransaction,
    receiver: Account,
    gasLeft: number,
  ): Omit<RunOutcome, 'contract'> {
    if (!receiver.isContract) return { gas: 0, isReverted: false };
    return this.#tokens.call(receiver.address, sender, data, gasLeft);
  }

  #move(from: Account, to: Account, wei: bigint): void {
    from.balance -= wei;
    to.balance += wei;
  }

  /** Adopts skipped nonces once the sender uses them. */
  #advanceNonce(account: Account, nonce: number): void {
    account.skippedNonces -= nonce - account.nonce;
    account.nonce = nonce + 1;
  }
}

interface RunOutcome {
  readonly gas: number;
  readonly isReverted: boolean;
  readonly contract: Address | null;
}

/** A contract's code is its creation data: no init code runs that could return other code. */
function create({ data }: DecodedTransaction, gasLeft: number): Omit<RunOutcome, 'contract'> {
  const gas = codeDepositGas(data.length);
  return gas > gasLeft ? { gas: gasLeft, isReverted: true } : { gas, isReverted: false };
}
