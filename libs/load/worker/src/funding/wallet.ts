import { type Address, addressOf, signTransaction, toHex } from '#load/chain';
import { pause } from '#platform/foundation';
import type { FailureClass } from '../rpc/failure-class.ts';
import { type JsonRpc, readNumber } from '../rpc/json-rpc.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';
import { membersOf } from '../settlement/block-header.ts';
import type { Payload } from '../transaction/blueprint.ts';
import type { Fees } from '../transaction/signing-order.ts';

const POLL_MS = 100;
/** Time without progress after which pending transactions are given up. */
const STANDSTILL_MS = 3_000;
const ATTEMPTS_MAX = 8;
/** Fewer attempts: the sequencer itself waits for a missing predecessor. */
const GAP_ATTEMPTS_MAX = 2;
const RETRY_MS = 200;
/** Errors for which a further attempt is useless. */
const HOPELESS: ReadonlySet<FailureClass> = new Set([
  'insufficient_funds',
  'fee_too_low',
  'fee_invalid',
  'gas_too_low',
  'gas_too_high',
  'data_too_large',
  'chain_id_mismatch',
  'type_unsupported',
]);
/** Errors by which the sequencer already has the transaction, from an attempt that seemed to fail. */
const TAKEN: ReadonlySet<FailureClass> = new Set(['nonce_too_low', 'duplicate']);

/** The chain as wallets see it. */
export interface WalletTarget {
  readonly url: string | readonly string[];
  /** The target of transactions. Default: `url`. */
  readonly sendUrl?: string | readonly string[] | undefined;
  readonly timeoutMs: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly chainId: number;
  readonly priorityFee: bigint;
}

/** Where a transaction was executed, and how. */
export interface Receipt {
  readonly hash: string;
  readonly isSuccess: boolean;
  readonly blockNumber: number;
  readonly gasUsed: number;
  /** The created contract. */
  readonly contractAddress: string | null;
}

/** The settings of a wallet. */
export interface WalletContext {
  readonly rpc: JsonRpc;
  readonly chainId: number;
  readonly fees: Fees;
  /** The maximum time of a transaction until its block. */
  readonly patienceMs: number;
}

/** An account for transactions before and after the load. It counts its nonces itself. */
export class Wallet {
  readonly address: Address;
  readonly #key: Uint8Array;
  readonly #context: WalletContext;
  #nonce: number;
  /** The nonce after the highest accepted one. */
  #takenEnd: number;

  static async open(key: Uint8Array, context: WalletContext): Promise<Wallet> {
    const params = [toHex(addressOf(key)), 'latest'];
    return new Wallet(key, context, await context.rpc.call('eth_getTransactionCount', params, readNumber));
  }

  constructor(key: Uint8Array, context: WalletContext, nonce: number) {
    this.#key = key;
    this.#context = context;
    this.#nonce = nonce;
    this.#takenEnd = nonce;
    this.address = addressOf(key);
  }

  get nonce(): number {
    return this.#nonce;
  }

  /**
   * Resolves to the hash when the RPC has accepted the transaction. A failed request is repeated: the same
   * bytes cannot be executed twice. Throws RPC_FAILED.
   */
  async send(payload: Payload, gasLimit: bigint): Promise<string> {
    const { rpc, chainId, fees } = this.#context;
    const nonce = this.#nonce++;
    const { raw, hash } = signTransaction(
      {
        chainId,
        nonce,
        maxFeePerGas: fees.maxFee,
        maxPriorityFeePerGas: fees.priorityFee,
        gasLimit,
        ...payload,
      },
      this.#key,
    );
    await sendUntilTaken(rpc, toHex(raw));
    this.#takenEnd = Math.max(this.#takenEnd, nonce + 1);
    return toHex(hash);
  }

  /** Sends, and waits for the block. Throws RPC_FAILED, also if the execution fails. */
  async sendAndWait(payload: Payload, gasLimit: bigint): Promise<void> {
    const { isSuccess } = await this.sendForReceipt(payload, gasLimit);
    if (!isSuccess) throw failed('reverted', 'the transaction was included, and failed');
  }

  /** Sends, and waits for the block. Throws RPC_FAILED. */
  async sendForReceipt(payload: Payload, gasLimit: bigint): Promise<Receipt> {
    const nonce = this.#nonce;
    const hash = await this.send(payload, gasLimit);
    const { rpc, patienceMs } = this.#context;
    const deadlineMs = performance.now() + patienceMs;
    let isTaken = false;
    while (performance.now() < deadlineMs) {
      const receipt = await rpc.call('eth_getTransactionReceipt', [hash], (answer) =>
        receiptOf(answer, hash),
      );
      if (receipt !== undefined) return receipt;
      // Queried again after the count: it may have been included between the two calls.
      if (isTaken) throw failed('nonce_taken', `another transaction of the account has its nonce, ${nonce}`);
      isTaken = (await this.#count()) > nonce;
      if (!isTaken) await pause(POLL_MS);
    }
    throw failed('lost', `in no block after ${patienceMs} ms`);
  }

  /** Waits until all accepted transactions are in blocks, or there is no more progress. */
  async settle(): Promise<void> {
    let reached = -1;
    let sinceMs = performance.now();
    for (;;) {
      const count = await this.#count();
      if (count >= this.#takenEnd || (count === reached && performance.now() - sinceMs > STANDSTILL_MS))
        return;
      if (count !== reached) sinceMs = performance.now();
      reached = count;
      await pause(POLL_MS);
    }
  }

  /** The number of the account's transactions in blocks. */
  #count(): Promise<number> {
    return this.#context.rpc.call('eth_getTransactionCount', [toHex(this.address), 'latest'], readNumber);
  }
}

/** Another sender has used the account's nonce. */
const TAKEN_BY_ANOTHER: ReadonlySet<FailureClass> = new Set([
  'nonce_taken',
  'nonce_too_low',
  'replacement_underpriced',
]);

/** Whether a newly opened wallet may send the transaction with another nonce. */
export function isTakenByAnother(error: unknown): boolean {
  return error instanceof RpcFailure && TAKEN_BY_ANOTHER.has(error.failure);
}

async function sendUntilTaken(rpc: JsonRpc, raw: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await rpc.call('eth_sendRawTransaction', [raw], (result) => result);
      return;
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error;
      if (attempt > 1 && TAKEN.has(error.failure)) return;
      const attemptsMax = error.failure === 'nonce_too_high' ? GAP_ATTEMPTS_MAX : ATTEMPTS_MAX;
      if (attempt >= attemptsMax || HOPELESS.has(error.failure) || rpc.closing.aborted) throw error;
      await pause(RETRY_MS * attempt, rpc.closing);
    }
  }
}

function receiptOf(answer: unknown, hash: string): Receipt | undefined {
  if (answer === null) return undefined;
  const { status, blockNumber, gasUsed, contractAddress } = membersOf(answer);
  return {
    hash,
    isSuccess: readNumber(status) === 1,
    blockNumber: readNumber(blockNumber),
    gasUsed: readNumber(gasUsed),
    contractAddress: typeof contractAddress === 'string' ? contractAddress : null,
  };
}

function failed(failure: 'reverted' | 'lost' | 'nonce_taken', message: string): RpcFailure {
  return new RpcFailure('eth_sendRawTransaction', { isFine: false, failure, code: null, message });
}
