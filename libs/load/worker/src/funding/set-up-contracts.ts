/**
 * Creates the contracts of a run and calls them, before its load: from the funder, one transaction after
 * another, each paid only while the budget lasts, or from every account of the run, several at a time. A step
 * that fails ends the run: its load would test something else.
 */
import { randomBytes } from 'node:crypto';
import {
  addressOf,
  type ArgumentSource,
  ContractAbi,
  type ContractFunction,
  fromHex,
  resolveArgument,
  toHex,
} from '#load/chain';
import { assert, DomainError, pause, type Secret } from '#platform/foundation';
import { addressOfContract } from '../transaction/contract-call.ts';
import type { AddressBook } from '../plan/account-keys.ts';
import type { ContractSetup } from '../plan/contract-setup.ts';
import { JsonRpc, readText } from '../rpc/json-rpc.ts';
import type { FailureClass } from '../rpc/failure-class.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';
import type { Payload } from '../transaction/blueprint.ts';
import { type BlockHead, estimateCallGas, estimateGas, feesAt, readHead } from './chain-view.ts';
import { keyOf } from './private-key.ts';
import { type FailureReason, reasonOfFailed, reasonOfFailure } from './revert-reason.ts';
import { isTakenByAnother, type Receipt, Wallet, type WalletContext, type WalletTarget } from './wallet.ts';

/** A contract of the run. */
export interface ContractSource {
  readonly name: string;
  readonly abi: ContractAbi;
  readonly args: readonly unknown[];
  readonly valueWei: string;
  /** What creates it, or where it is. */
  readonly bytecode?: string | undefined;
  readonly at?: string | undefined;
}

/** A call before the load. */
export interface SetupStep {
  /** Keeps what the function returned. */
  readonly name?: string | undefined;
  readonly from: 'funder' | 'accounts';
  readonly contract: string;
  readonly function: string;
  readonly args: readonly unknown[];
  readonly valueWei: string;
  readonly gasLimit?: number | undefined;
}

export interface SetupOptions {
  readonly target: WalletTarget;
  /** Undefined if no contract is created and nothing is called. */
  readonly funderKey: Secret | undefined;
  readonly contracts: readonly ContractSource[];
  readonly steps: readonly SetupStep[];
  /** The accounts of the run, for steps from them. Undefined: this process does not know their keys. */
  readonly accounts?: SetupAccounts | undefined;
  /** What the run has cost already, at most. */
  readonly mostWei: bigint;
  readonly budgetWei?: bigint | undefined;
  readonly onCost?: (mostWei: bigint) => void;
  readonly signal?: AbortSignal;
  readonly patienceMs?: number;
}

export interface SetupAccounts {
  readonly book: AddressBook;
  readonly keyOf: (position: number) => Uint8Array;
}

/** One transaction or read of the setup; of several accounts the first one, with the gas of all. */
export interface SetupRecord {
  /** `contracts.pool`, or `setup.0 pool.deposit()`. */
  readonly what: string;
  readonly address: string;
  /** Null for an existing contract, and for a function that only reads. */
  readonly receipt: Receipt | null;
  /** What the function returned, if the step has a name. */
  readonly result: readonly unknown[] | null;
}

export interface ContractsMade {
  readonly setup: ContractSetup;
  readonly records: readonly SetupRecord[];
}

const FEE_MULTIPLIER = 4;
const PATIENCE_MS = 60_000;
const ATTEMPTS_MAX = 20;
const RETRY_MS = 100;
const NO_CODE = '0x';
const ACCOUNTS_AT_ONCE = 32;
/** The node did not execute the call: its failure says nothing about the step. */
const NO_ANSWERS: ReadonlySet<FailureClass> = new Set([
  'rate_limited',
  'queue_timeout',
  'sequencer_unavailable',
  'rpc_unreachable',
  'rpc_transport',
]);

/**
 * Throws PLAN_REFUSED with the step and the contract's reason if one fails, or costs more than the budget.
 * Throws RPC_FAILED, also after the signal.
 */
export async function setUpContracts(options: SetupOptions): Promise<ContractsMade> {
  const { url, sendUrl, timeoutMs, headers } = options.target;
  const rpc = new JsonRpc({ url, sendUrl, timeoutMs, headers, patienceMs: timeoutMs });
  const close = (): void => void rpc.close();
  if (options.signal?.aborted === true) close();
  options.signal?.addEventListener('abort', close);
  try {
    const setup = new Setup(rpc, options);
    for (const contract of options.contracts) await setup.create(contract);
    for (const [at, step] of options.steps.entries()) await setup.call(step, at);
    return setup.made;
  } finally {
    options.signal?.removeEventListener('abort', close);
    await rpc.close();
  }
}

/** Who sends: the position of an account, or null for the funder. */
interface Sender {
  readonly key: Uint8Array;
  readonly position: number | null;
}

/** A step whose function was found. */
interface ResolvedCall {
  readonly what: string;
  readonly step: SetupStep;
  readonly abi: ContractAbi;
  readonly called: ContractFunction;
  readonly to: Uint8Array;
}

class Setup {
  readonly #rpc: JsonRpc;
  readonly #options: SetupOptions;
  readonly #abis: ReadonlyMap<string, ContractAbi>;
  readonly #contracts: Record<string, string> = {};
  readonly #results: Record<string, readonly unknown[]> = {};
  readonly #records: SetupRecord[] = [];
  readonly #payer: Sender | undefined;
  #mostWei: bigint;

  constructor(rpc: JsonRpc, options: SetupOptions) {
    this.#rpc = rpc;
    this.#options = options;
    this.#abis = new Map(options.contracts.map(({ name, abi }) => [name, abi]));
    this.#payer = options.funderKey && { key: keyOf(options.funderKey), position: null };
    this.#mostWei = options.mostWei;
  }

  get #funder(): Sender {
    assert(this.#payer !== undefined, 'what creates or calls contracts has a funder');
    return this.#payer;
  }

  get #funderAddress(): string {
    return toHex(addressOf(this.#funder.key));
  }

  get made(): ContractsMade {
    return { setup: this.#setup, records: this.#records };
  }

  async create({ name, abi, args, valueWei, bytecode, at }: ContractSource): Promise<void> {
    const what = `contracts.${name}`;
    if (bytecode === undefined) {
      const address = (at ?? '').toLowerCase();
      await this.#requireCode(what, address);
      this.#contracts[name] = address;
      this.#records.push({ what, address, receipt: null, result: null });
      return;
    }
    const values = fitting(what, () => abi.encodeConstructor(this.#resolved(args, this.#funder)));
    const code = fromHex(bytecode.startsWith('0x') ? bytecode : `0x${bytecode}`);
    const payload = { to: null, value: BigInt(valueWei), data: Buffer.concat([code, values]) };
    const receipt = await this.#send(`${what}: its constructor`, payload, { abi, sender: this.#funder });
    const address = receipt.contractAddress?.toLowerCase() ?? '';
    await this.#requireCode(what, address);
    this.#contracts[name] = address;
    this.#records.push({ what, address, receipt, result: null });
  }

  async call(step: SetupStep, at: number): Promise<void> {
    const { contract, name, from } = step;
    const abi = this.#abis.get(contract) ?? new ContractAbi([]);
    const called = abi.function(step.function);
    const address = addressOfContract(this.#setup, contract);
    const what = `setup.${at} ${contract}.${called.signature}`;
    const call: ResolvedCall = { what, step, abi, called, to: fromHex(address) };
    if (from === 'accounts') {
      this.#records.push({ what, address, receipt: await this.#callFromAll(call), result: null });
      return;
    }
    const result = name === undefined ? null : await this.#simulate(call);
    if (name !== undefined && result !== null) this.#results[name] = result;
    const isRead = called.isRead && step.valueWei === '0';
    const receipt = isRead ? null : await this.#sendCall(call, this.#funder);
    this.#records.push({ what, address, receipt, result });
  }

  async #callFromAll(call: ResolvedCall): Promise<Receipt | null> {
    const { accounts } = this.#options;
    if (accounts === undefined)
      throw refused(`${call.what}: the hive has no seed, so it cannot send from accounts`);
    const { book, keyOf: keyOfAccount } = accounts;
    const positions = Array.from({ length: book.count }, (_, position) => position).values();
    const receipts: Receipt[] = [];
    const work = async (): Promise<void> => {
      for (const position of positions) {
        receipts.push(await this.#sendCall(call, { key: keyOfAccount(position), position }));
      }
    };
    await Promise.all(Array.from({ length: ACCOUNTS_AT_ONCE }, work));
    const gasUsed = receipts.reduce((sum, receipt) => sum + receipt.gasUsed, 0);
    return receipts[0] === undefined ? null : { ...receipts[0], gasUsed };
  }

  #sendCall(call: ResolvedCall, sender: Sender): Promise<Receipt> {
    const { what, abi, step } = call;
    return this.#send(what, this.#payloadOf(call, sender), { abi, sender, gasLimit: step.gasLimit });
  }

  #payloadOf({ what, step, called, to }: ResolvedCall, sender: Sender): Payload {
    const data = fitting(what, () => called.encode(this.#resolved(step.args, sender)));
    return { to, value: BigInt(step.valueWei), data };
  }

  /** What a call returns, at the state before its transaction. */
  async #simulate(call: ResolvedCall): Promise<readonly unknown[]> {
    const { what, abi, called, to } = call;
    const { value, data } = this.#payloadOf(call, this.#funder);
    const request = {
      from: this.#funderAddress,
      to: toHex(to),
      data: toHex(data),
      value: `0x${value.toString(16)}`,
    };
    const answer = await this.#reasoned(what, abi, () =>
      this.#rpc.call('eth_call', [request, 'latest'], readText),
    );
    return fitting(what, () => called.decode(fromHex(answer)));
  }

  /** A foreign transaction of the sender may take the nonce: then the next one is used. */
  async #send(
    what: string,
    payload: Payload,
    {
      abi,
      sender,
      gasLimit,
    }: { readonly abi: ContractAbi; readonly sender: Sender; readonly gasLimit?: number | undefined },
  ): Promise<Receipt> {
    for (let attempt = 1; ; attempt++) {
      const head = await readHead(this.#rpc);
      const context = this.#contextAt(head);
      const wallet = await Wallet.open(sender.key, context);
      const gas =
        gasLimit === undefined
          ? await this.#reasoned(what, abi, () => this.#estimate(wallet, payload, head))
          : BigInt(gasLimit);
      if (sender.position === null) this.#spend(payload.value + gas * context.fees.maxFee);
      try {
        const receipt = await wallet.sendForReceipt(payload, gas);
        if (receipt.isSuccess) return receipt;
        const { text } = await this.#reasonOf(wallet, payload, { receipt, gas, abi });
        throw refused(`${what} reverted: ${text}`);
      } catch (error) {
        if (!isTakenByAnother(error) || attempt === ATTEMPTS_MAX) throw error;
        await pause(RETRY_MS);
      }
    }
  }

  #reasonOf(
    wallet: Wallet,
    { to, value, data }: Payload,
    { receipt, gas, abi }: { readonly receipt: Receipt; readonly gas: bigint; readonly abi: ContractAbi },
  ): Promise<FailureReason> {
    const { hash, blockNumber } = receipt;
    const failed = { hash, blockNumber, from: toHex(wallet.address), value, gasLimit: gas };
    const place = { to: to === null ? null : toHex(to), data: toHex(data) };
    return reasonOfFailed(this.#rpc, { ...failed, ...place }, abi.errors);
  }

  async #reasoned<T>(what: string, abi: ContractAbi, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof RpcFailure) || NO_ANSWERS.has(error.failure)) throw error;
      const isReverted = error.failure === 'reverted';
      throw refused(
        isReverted ? `${what} reverts: ${reasonOfFailure(error, abi)}` : `${what}: ${error.message}`,
      );
    }
  }

  async #requireCode(what: string, address: string): Promise<void> {
    const code =
      address === '' ? NO_CODE : await this.#rpc.call('eth_getCode', [address, 'latest'], readText);
    if (code === NO_CODE)
      throw refused(`${what}: expected code at ${address || 'the created address'}, got none`);
  }

  /** The funder is its own neighbour. */
  #resolved(args: readonly unknown[], { position }: Sender): readonly unknown[] {
    const book = this.#options.accounts?.book;
    const addressAt = (at: number): string => {
      if (book === undefined)
        throw new DomainError('INVALID_REQUEST', 'expected the seed of the accounts on the hive');
      return toHex(book.at(at % book.count));
    };
    const source: ArgumentSource = {
      self: position === null ? this.#funderAddress : addressAt(position),
      next: position === null ? this.#funderAddress : addressAt(position + 1),
      accountAt: addressAt,
      count: BigInt(position ?? this.#records.length),
      drawBelow: (end) => BigInt(`0x${randomBytes(32).toString('hex')}`) % end,
      contract: (name) => addressOfContract(this.#setup, name),
      result: (step, index) => this.#results[step]?.[index],
    };
    return args.map((one) => resolveArgument(one, source));
  }

  get #setup(): ContractSetup {
    return { contracts: this.#contracts, results: this.#results };
  }

  #estimate({ address }: Wallet, payload: Payload, head: BlockHead): Promise<bigint> {
    return payload.to === null
      ? estimateGas(this.#rpc, address, payload)
      : estimateCallGas(this.#rpc, address, payload, head);
  }

  #contextAt(head: BlockHead): WalletContext {
    const { target, patienceMs = PATIENCE_MS } = this.#options;
    const { chainId, priorityFee } = target;
    const fees = feesAt(head, FEE_MULTIPLIER, priorityFee);
    return { rpc: this.#rpc, chainId, fees, patienceMs };
  }

  #spend(costWei: bigint): void {
    const { budgetWei, onCost } = this.#options;
    this.#mostWei += costWei;
    if (budgetWei !== undefined && this.#mostWei > budgetWei) {
      const message = `contracts and setup would cost up to ${this.#mostWei} wei with the funding, expected at most accounts.budget_wei, ${budgetWei}`;
      throw new DomainError('PLAN_REFUSED', message, { details: { reason: 'budget_exceeded' } });
    }
    onCost?.(this.#mostWei);
  }
}

/** Names the step of values that do not fit. */
function fitting<T>(what: string, encode: () => T): T {
  try {
    return encode();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw refused(`${what}: ${error.message}`);
  }
}

function refused(message: string): DomainError {
  return new DomainError('PLAN_REFUSED', message, { details: { reason: 'setup_failed' } });
}
