/**
 * The blocks' receipts of a run's transactions. A transaction has one receipt at one place: a second
 * occurrence is a finding, not a receipt. The replacement of a block withdraws its receipts; its transactions
 * are matched again in their new blocks. Transactions of other senders, from or to the accounts, are
 * reported.
 */
import { contractAddress, toHex } from '#load/chain';
import type { EventBuffer } from '#load/telemetry';
import { countedText } from '#platform/foundation';
import type { FindingRecorder } from '../correlation/finding-log.ts';
import type { SentArchive } from '../correlation/sent-archive.ts';
import type { BlockReceipts } from '../settlement/block-receipts.ts';
import { REMEMBERED_BLOCKS } from '../settlement/chain-tip.ts';
import type { OpenTransaction } from '../transaction/open-transaction.ts';
import { receiptRow } from './event-rows.ts';
import type { RunFacts } from './run-facts.ts';
import type { WayChecks } from './way-checks.ts';

/** The outcome of a transaction in a block. */
export interface BlockExecution {
  readonly blockNumber: number;
  readonly readUs: number;
  readonly isExecuted: boolean;
}

/** A contract of the run, and who created it. */
export interface CreatedContract {
  readonly address: string;
  readonly position: number;
  readonly nonce: number;
}

export interface BlockLedgerOptions {
  readonly facts: RunFacts;
  readonly events: EventBuffer;
  readonly findings: FindingRecorder;
  readonly archive: SentArchive;
  readonly transactions: SentTransactions;
  readonly ways: WayChecks;
}

/** The run's open transactions. */
export interface SentTransactions {
  /** The open transaction of the hash that begins at `at`. */
  find(bytes: Uint8Array, at: number): OpenTransaction | undefined;
  /** A block contains the transaction. */
  included(open: OpenTransaction, execution: BlockExecution): void;
  /** The transaction's block was replaced. */
  withdrawn(open: OpenTransaction): void;
}

const HASH_BYTES = 32;
const ADDRESS_BYTES = 20;
const NO_ADDRESS = new Uint8Array(ADDRESS_BYTES);
const NO_TYPE = -1;
/** Maximum number of contracts whose code is read at the end. */
const CREATED_MAX = 1_000;

export class BlockLedger {
  readonly #options: BlockLedgerOptions;
  readonly #recent = new Map<number, BlockReceipts>();
  readonly #foreign = new Set<number>();
  #foreignCount = 0;
  #last = 0;
  #wasReplaced = false;
  #hasUnread = false;
  #singleCount = 0;
  /** Why receipts are requested one by one. */
  #whySingly: string | undefined;
  readonly #created = new Map<string, CreatedContract>();
  /** Blocks older than the remembered ones may be repeated. */
  #isDeep = false;

  constructor(options: BlockLedgerOptions) {
    this.#options = options;
  }

  /** The newest block that is too deep for a traceable reorganisation. */
  get settledBlock(): number {
    return this.#last - REMEMBERED_BLOCKS;
  }

  get foreignCount(): number {
    return this.#foreignCount;
  }

  /** Contracts created by the first deployments, by the hash of the transaction. */
  get created(): ReadonlyMap<string, CreatedContract> {
    return this.#created;
  }

  /** Whether blocks of this run were replaced. */
  get wasReplaced(): boolean {
    return this.#wasReplaced;
  }

  /** Whether blocks could not be read. */
  get hasUnread(): boolean {
    return this.#hasUnread;
  }

  /** From now on, receipts are requested one by one, because of `reason`. */
  readSingly(reason: string): void {
    this.#whySingly = reason;
  }

  /** Call after the last block. */
  end(): void {
    if (this.#whySingly === undefined) return;
    const observed = `${this.#whySingly}; ${this.#singleCount} receipts requested one by one`;
    this.#options.findings.add('method_missing', { observed });
  }

  /** Whether another sender uses the account (given by its position), or pays to it. */
  isForeign(position: number): boolean {
    return this.#foreign.has(position);
  }

  /**
   * Returns the newly included transactions. A block with many receipts may be passed in parts, in order from
   * 0.
   */
  apply(block: BlockReceipts, from = 0, to = block.positions.length): readonly OpenTransaction[] {
    const { transactions } = this.#options;
    if (from === 0) this.#begin(block);
    const found: OpenTransaction[] = [];
    for (let at = from; at < to; at++) {
      const open = transactions.find(block.hashes, at * HASH_BYTES);
      if (open === undefined || open.blockNumber !== undefined) this.#applyOther(block, at, open);
      else {
        this.#record(block, at, { open, isWithdrawn: false });
        this.#checkContract(block, at, open);
        this.#checkFields(block, at, open);
        this.#options.ways.placed(open, block, at);
        if (open.outcome !== 'included') found.push(open);
        transactions.included(open, executionAt(block, at));
      }
    }
    if (to < block.positions.length) return found;
    found.push(...this.#applyUnreceipted(block));
    for (const { hash, position } of block.incoming) this.#applyForeign(block, hash, { receiver: position });
    return found;
  }

  /** The block with this number was replaced. */
  replaced(blockNumber: number): void {
    const { transactions, findings } = this.#options;
    const block = this.#recent.get(blockNumber);
    findings.add('block_replaced', { block_number: blockNumber, hash: block?.hash ?? null });
    this.#last = blockNumber - 1;
    this.#wasReplaced = true;
    if (block === undefined) return;
    this.#recent.delete(blockNumber);
    for (let at = 0; at < block.positions.length; at++) {
      const open = transactions.find(block.hashes, at * HASH_BYTES);
      if (open?.blockNumber !== blockNumber) continue;
      this.#record(block, at, { open, isWithdrawn: true });
      this.#created.delete(toHex(open.hash));
      this.#options.ways.withdrawn(open);
      transactions.withdrawn(open);
    }
  }

  /** The chain was replaced from a block older than the remembered ones. */
  deep(blockNumber: number): void {
    this.#isDeep = true;
    this.#options.findings.add('deep_reorganisation', { block_number: blockNumber });
  }

  unread(blockNumber: number, reason: string): void {
    this.#hasUnread = true;
    this.#options.findings.add('blocks_unread', { block_number: blockNumber, observed: reason });
  }

  #begin(block: BlockReceipts): void {
    this.#checkTime(block);
    this.#checkWhole(block);
    this.#recent.set(block.blockNumber, block);
    this.#recent.delete(block.blockNumber - REMEMBERED_BLOCKS);
    this.#last = block.blockNumber;
    this.#applyFaults(block);
  }

  #record(
    block: BlockReceipts,
    at: number,
    { open, isWithdrawn }: { readonly open: OpenTransaction; readonly isWithdrawn: boolean },
  ): void {
    const { facts, events } = this.#options;
    const own = { open, isWithdrawn, ...facts.contextOf(open), ...facts.sentBy(open) };
    events.record('receipts', receiptRow(block, at, own));
  }

  /** Open transactions in the block without a receipt of their account: it is missing, or falsified. */
  #applyUnreceipted(block: BlockReceipts): readonly OpenTransaction[] {
    const { transactions, facts, findings } = this.#options;
    const found: OpenTransaction[] = [];
    for (let at = 0; at < block.txHashes.length; at += HASH_BYTES) {
      const open = transactions.find(block.txHashes, at);
      if (open === undefined || open.blockNumber !== undefined) continue;
      const { blockNumber, readUs, missing } = block;
      if (missing === 0) {
        const account = facts.accountOf(open.signed.item.position);
        findings.add('receipt_fields', {
          account,
          hash: open.hash,
          nonce: open.signed.item.nonce,
          block_number: blockNumber,
          expected: `from ${toHex(account)}`,
          observed: 'no receipt of this sender',
        });
      }
      if (open.outcome !== 'included') found.push(open);
      transactions.included(open, { blockNumber, readUs, isExecuted: true });
    }
    return found;
  }

  /** A transaction of an account that is not open: a repetition, or not of this run. */
  #applyOther(block: BlockReceipts, at: number, open: OpenTransaction | undefined): void {
    const { archive, facts, findings } = this.#options;
    const position = block.positions[at] ?? 0;
    const hash = block.hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
    const sent = open?.signed.item ?? archive.find(hash);
    if (sent === undefined) {
      const receiver = block.receivers[at] ?? -1;
      this.#applyForeign(block, hash, { sender: position, ...(receiver >= 0 && { receiver }) });
    } else if (!this.#isDeep) {
      const first = open?.blockNumber;
      findings.add('executed_twice', {
        account: facts.accountOf(position),
        hash,
        nonce: sent.nonce,
        block_number: block.blockNumber,
        expected: first === undefined ? 'one receipt' : `one receipt, in block ${first}`,
        observed: `another in block ${block.blockNumber}, index ${block.indexes[at] ?? 0}`,
      });
    }
  }

  #applyForeign(
    { blockNumber }: BlockReceipts,
    hash: Uint8Array,
    { sender, receiver }: { readonly sender?: number; readonly receiver?: number },
  ): void {
    const { facts, findings } = this.#options;
    this.#foreignCount++;
    for (const position of [sender, receiver]) if (position !== undefined) this.#foreign.add(position);
    findings.add('foreign', {
      account: sender === undefined ? null : facts.accountOf(sender),
      receiver: receiver === undefined ? null : facts.accountOf(receiver),
      hash,
      block_number: blockNumber,
    });
  }

  #checkContract(block: BlockReceipts, at: number, open: OpenTransaction): void {
    const { facts, findings } = this.#options;
    const contract = block.contracts.get(at);
    if (contract === undefined || block.statuses[at] !== 1) return;
    const { position, nonce } = open.signed.item;
    const account = facts.accountOf(position);
    const expected = toHex(contractAddress(account, nonce));
    const observed = contract === null ? 'none' : toHex(contract);
    if (observed === expected) {
      if (this.#created.size < CREATED_MAX)
        this.#created.set(toHex(open.hash), { address: expected, position, nonce });
      return;
    }
    const place = { block_number: block.blockNumber, hash: open.hash, account, nonce };
    findings.add('contract_address', {
      ...place,
      expected: `contract ${expected}`,
      observed: `contract ${observed}`,
    });
  }

  /** The receiver and the type of a receipt are those of the transaction. */
  #checkFields(block: BlockReceipts, at: number, open: OpenTransaction): void {
    const { facts, findings } = this.#options;
    const { position, nonce } = open.signed.item;
    const { to } = facts.sentBy(open);
    const { type: ownType } = facts.contextOf(open).blueprint.sending;
    const stated = block.stated.subarray(at * ADDRESS_BYTES, (at + 1) * ADDRESS_BYTES);
    const type = block.types[at] ?? NO_TYPE;
    const isRight = Buffer.compare(stated, to ?? NO_ADDRESS) === 0 && (type === NO_TYPE || type === ownType);
    if (isRight) return;
    const textOf = (address: Uint8Array): string =>
      Buffer.compare(address, NO_ADDRESS) === 0 ? 'none' : toHex(address);
    findings.add('receipt_fields', {
      account: facts.accountOf(position),
      hash: open.hash,
      nonce,
      block_number: block.blockNumber,
      expected: `to ${textOf(to ?? NO_ADDRESS)}, type ${ownType}`,
      observed: `to ${textOf(stated)}, type ${type === NO_TYPE ? 'not stated' : type}`,
    });
  }

  #checkTime({ blockNumber, timestamp }: BlockReceipts): void {
    const parent = this.#recent.get(blockNumber - 1);
    if (parent === undefined || timestamp >= parent.timestamp) return;
    const expected = `time ${parent.timestamp} or later`;
    this.#options.findings.add('block_time', {
      block_number: blockNumber,
      expected,
      observed: `time ${timestamp}`,
    });
  }

  #checkWhole({ blockNumber, missing, singleCount, txHashes }: BlockReceipts): void {
    this.#singleCount += singleCount;
    if (missing === 0) return;
    const count = txHashes.length / HASH_BYTES;
    const observed = `${count - missing} of ${countedText(count, 'receipt')}`;
    this.#options.findings.add('receipts_missing', {
      block_number: blockNumber,
      expected: countedText(count, 'receipt'),
      observed,
    });
  }

  #applyFaults(block: BlockReceipts): void {
    const { facts, findings, transactions } = this.#options;
    for (const { kind, hash, position, expected, observed, receipt } of block.faults) {
      const open = hash === null ? undefined : transactions.find(hash, 0);
      const place = position ?? open?.signed.item.position;
      findings.add(kind, {
        account: place === undefined ? null : facts.accountOf(place),
        nonce: open?.signed.item.nonce ?? null,
        hash,
        expected,
        observed,
        receipt_json: receipt,
        block_number: block.blockNumber,
      });
      // The block contains it, even with an invalid receipt.
      const isPlaced = kind === 'malformed_receipt' && open !== undefined && open.blockNumber === undefined;
      if (isPlaced)
        transactions.included(open, {
          blockNumber: block.blockNumber,
          readUs: block.readUs,
          isExecuted: true,
        });
    }
  }
}

function executionAt({ blockNumber, readUs, statuses }: BlockReceipts, at: number): BlockExecution {
  return { blockNumber, readUs, isExecuted: statuses[at] === 1 };
}
