/** *Hot path*: processes each row of a run. */
import { type BatchOf, FEED_FLAGS, type FindingKind, type RowOf, type TableBatch } from '#load/telemetry';
import { AccountIndex, accountNumbers } from './account-index.ts';
import { bigintOrNull, hexOf, hexOrNull, numberAt, numberOrNull, textAt, textOrNull } from './row-value.ts';
import { BalanceTrack } from '../checks/balance-track.ts';
import type { ViolationLogs } from '../evidence/violation-logs.ts';
import { gasFaults, gasViolation, type PriceRule } from '../checks/gas-rules.ts';
import { NonceTrack, nonceViolation } from '../checks/nonce-track.ts';
import { SeenNonces } from '../checks/seen-nonces.ts';
import { AccountMarks } from './account-marks.ts';
import { findingViolation, VIOLATED_BY } from './finding-violation.ts';

type Outcome = RowOf<'transactions'>['outcome'];

const US_PER_MS = 1_000;
/** Sightings without information on the order: unchanged repetitions of an earlier message. */
const IGNORED_FLAGS = FEED_FLAGS.duplicate | FEED_FLAGS.backlog;

/** Counts of an edge's transactions by the rows received so far. */
export interface SeenTransactions {
  readonly sent: number;
  readonly notSent: number;
  /** Seen in the feed or in a block. */
  readonly included: number;
  readonly rejected: number;
  /** Those of `rejected` with another failure than their entry of the mix expects. */
  readonly rejectedUnexpected: number;
}

/** All findings of one kind. */
export interface FoundKind {
  readonly count: number;
  /** The observation of the first one that has one. */
  readonly sample: string | null;
}

/** The shared parts of the ledgers of a run. */
export interface LedgerRules {
  readonly logs: ViolationLogs;
  readonly price: PriceRule;
  /** Whether edges read the feed: without it, nonces are checked in the order of blocks. */
  readonly hasFeed: boolean;
  /** Whether called contracts may send ether to accounts, which no receipt shows. */
  readonly mayBePaid: boolean;
  /** True the first time: edges that read the same blocks find the same faults in them. */
  readonly isNew: (finding: string) => boolean;
}

/** The state of one edge: its accounts, updated by its batches in order. */
export class EdgeLedger {
  readonly index = new AccountIndex();
  readonly balances = new BalanceTrack();
  readonly marks = new AccountMarks();
  readonly nonces: NonceTrack;
  readonly edgeId: string;
  /** The received findings by kind. */
  readonly findings = new Map<FindingKind, FoundKind>();
  /** Kinds of the sent transactions. */
  readonly kinds = new Set<string>();
  readonly #rules: LedgerRules;
  readonly #outcomes: Record<Outcome, number> = { included: 0, rejected: 0, unknown: 0, not_sent: 0 };
  /** Address of the load's token, from its transfers. */
  token: string | null = null;
  receiptCount = 0;
  /** Number of receipts of blocks without a base fee. */
  unpricedCount = 0;
  rejectedUnexpected = 0;
  eventsDropped = 0;
  feedMessages = 0;

  constructor(edgeId: string, rules: LedgerRules) {
    this.edgeId = edgeId;
    this.#rules = rules;
    this.nonces = new NonceTrack(this.marks, (fault) =>
      rules.logs.nonce.add(nonceViolation(edgeId, this.addressOf(fault.account), fault)),
    );
  }

  get mayBePaid(): boolean {
    return this.#rules.mayBePaid;
  }

  get hasFeed(): boolean {
    return this.#rules.hasFeed;
  }

  apply(batch: TableBatch): void {
    if (batch.table === 'balances') this.#applyBalances(batch);
    else if (batch.table === 'feed') this.#applyFeed(batch);
    else if (batch.table === 'receipts') this.#applyReceipts(batch);
    else if (batch.table === 'transactions') this.#applyTransactions(batch);
    else if (batch.table === 'intervals') this.#applyIntervals(batch);
    else if (batch.table === 'findings') this.#applyFindings(batch);
  }

  /** A receipt proves an inclusion, even without the row of its transaction. */
  get seen(): SeenTransactions {
    const { included, rejected, unknown, not_sent: notSent } = this.#outcomes;
    const shown = Math.max(included, this.receiptCount);
    const { rejectedUnexpected } = this;
    return { sent: shown + rejected + unknown, notSent, included: shown, rejected, rejectedUnexpected };
  }

  addressOf(account: number): string {
    return hexOf(this.index.address(account));
  }

  #applyBalances({ rowCount, columns }: BatchOf<'balances'>): void {
    const accounts = accountNumbers(columns.account, this.index, 'add');
    for (let row = 0; row < rowCount; row++) {
      const account = accounts[row]!;
      const nonce = numberOrNull(columns.nonce, row);
      const pinned = {
        wei: bigintOrNull(columns.balance_wei, row),
        nonce,
        blockNumber: numberAt(columns.block_number, row),
        tokenUnits: bigintOrNull(columns.token_units, row),
      };
      const money = this.balances.money(account);
      if (textAt(columns.at, row) === 'end') money.end = pinned;
      else if (nonce !== null) {
        money.start = pinned;
        this.nonces.begin(account, nonce);
        this.marks.begin(account, new SeenNonces(nonce));
      }
    }
  }

  #applyFeed({ rowCount, columns }: BatchOf<'feed'>): void {
    const accounts = accountNumbers(columns.account, this.index, 'add');
    for (let row = 0; row < rowCount; row++) {
      const flags = numberAt(columns.flags, row);
      const account = accounts[row]!;
      if (account === -1) {
        this.feedMessages += 1;
        if ((flags & FEED_FLAGS.afterGap) !== 0) this.nonces.feedGap();
        if ((flags & FEED_FLAGS.reorganisation) !== 0) {
          this.nonces.reorganised(numberAt(columns.sequence_number, row));
        }
      } else if ((flags & IGNORED_FLAGS) === 0) this.#see({ row, account, flags }, columns);
    }
  }

  #see(
    { row, account, flags }: { row: number; account: number; flags: number },
    columns: BatchOf<'feed'>['columns'],
  ): void {
    this.nonces.see({
      account,
      nonce: numberAt(columns.nonce, row),
      receivedUs: numberAt(columns.received_us, row),
      sequence: numberAt(columns.sequence_number, row),
      isLate: (flags & FEED_FLAGS.late) !== 0,
      blockNumber: numberOrNull(columns.block_number, row),
      hash: () => hexOrNull(columns.hash, row),
    });
  }

  #applyReceipts({ rowCount, columns }: BatchOf<'receipts'>): void {
    const from = accountNumbers(columns.account, this.index, 'add');
    const to = accountNumbers(columns.to, this.index, 'find');
    const tokenTo = accountNumbers(columns.token_to, this.index, 'find');
    for (let row = 0; row < rowCount; row++) {
      const account = from[row]!;
      const isWithdrawn = numberAt(columns.is_withdrawn, row) === 1;
      this.receiptCount += isWithdrawn ? -1 : 1;
      this.#execute({ row, account, isWithdrawn }, columns);
      const gasUsed = BigInt(numberAt(columns.gas_used, row));
      const priceWei = BigInt(textAt(columns.effective_gas_price, row));
      const units = bigintOrNull(columns.token_units, row);
      if (units !== null) this.token ??= hexOrNull(columns.to, row);
      this.balances.pay({
        from: account,
        to: to[row]!,
        kind: textAt(columns.kind, row),
        isSuccess: numberAt(columns.status, row) === 1,
        valueWei: BigInt(textAt(columns.value_wei, row)),
        gasUsed,
        priceWei,
        units: units === null ? null : { to: tokenTo[row]!, amount: units },
        isWithdrawn,
      });
      if (!isWithdrawn) this.#checkGas({ row, account, gasUsed, priceWei }, columns);
    }
    this.nonces.settleRipe();
  }

  /** Takes executed transactions in the order of blocks, each once. */
  #execute(
    { row, account, isWithdrawn }: { row: number; account: number; isWithdrawn: boolean },
    columns: BatchOf<'receipts'>['columns'],
  ): void {
    const nonce = numberAt(columns.nonce, row);
    const executed = this.marks.executed(account);
    if (executed === undefined) return;
    if (isWithdrawn) {
      this.marks.markReorganised(account);
      executed.takeBack(nonce);
      return;
    }
    const expected = executed.due;
    const place = executed.see(nonce);
    const isOld = place === 'again' || (place === 'fills' && this.#isOrderBroken(account));
    if (!isOld) return;
    const facts = { account, expected, observed: nonce, hash: hexOrNull(columns.hash, row) };
    const fault = {
      ...facts,
      kind: place === 'again' ? ('executed_twice' as const) : ('regression' as const),
      blockNumber: numberAt(columns.block_number, row),
    };
    this.#rules.logs.nonce.add(nonceViolation(this.edgeId, this.addressOf(account), fault));
  }

  /** Whether only the chain can explain a nonce after a higher one. */
  #isOrderBroken(account: number): boolean {
    return !this.hasFeed && this.eventsDropped === 0 && !this.marks.wasReorganised(account);
  }

  #checkGas(
    { row, account, gasUsed, priceWei }: { row: number; account: number; gasUsed: bigint; priceWei: bigint },
    columns: BatchOf<'receipts'>['columns'],
  ): void {
    const gasUsedL1 = numberOrNull(columns.gas_used_l1, row);
    const baseFeeWei = bigintOrNull(columns.base_fee_wei, row);
    if (baseFeeWei === null) this.unpricedCount += 1;
    const facts = {
      gasUsed,
      gasLimit: BigInt(numberAt(columns.gas_limit, row)),
      gasUsedL1: gasUsedL1 === null ? null : BigInt(gasUsedL1),
      priceWei,
      baseFeeWei,
      tipWei: BigInt(textAt(columns.tip_wei, row)),
      maxFeeWei: BigInt(textAt(columns.max_fee_wei, row)),
    };
    for (const fault of gasFaults(facts, this.#rules.price)) {
      const transaction = {
        account: this.addressOf(account),
        hash: hexOrNull(columns.hash, row),
        nonce: numberAt(columns.nonce, row),
        blockNumber: numberAt(columns.block_number, row),
        receipt: textOrNull(columns.receipt_json, row),
      };
      this.#rules.logs.gas.add(gasViolation(this.edgeId, transaction, fault));
    }
  }

  #applyTransactions({ rowCount, columns }: BatchOf<'transactions'>): void {
    const accounts = accountNumbers(columns.account, this.index, 'find');
    for (let row = 0; row < rowCount; row++) {
      const outcome = textAt(columns.outcome, row) as Outcome;
      this.#outcomes[outcome] += 1;
      this.kinds.add(textAt(columns.kind, row));
      const failure = textOrNull(columns.error_class, row);
      if (outcome === 'rejected' && failure !== textOrNull(columns.expect, row)) this.rejectedUnexpected += 1;
      if (failure === 'pending' || failure === 'undecided') this.marks.markPending(accounts[row]!);
    }
  }

  #applyIntervals({ rowCount, columns }: BatchOf<'intervals'>): void {
    for (let row = 0; row < rowCount; row++) {
      const dropped = numberAt(columns.events_dropped, row);
      const endUs = numberAt(columns.at_us, row) + numberAt(columns.interval_ms, row) * US_PER_MS;
      this.eventsDropped += dropped;
      this.nonces.interval(endUs, dropped);
    }
  }

  #applyFindings(batch: BatchOf<'findings'>): void {
    const { rowCount, columns } = batch;
    const accounts = accountNumbers(columns.account, this.index, 'find');
    const receivers = accountNumbers(columns.receiver, this.index, 'find');
    for (let row = 0; row < rowCount; row++) {
      const kind = textAt(columns.kind, row) as FindingKind;
      const known = this.findings.get(kind);
      const sample = known?.sample ?? textOrNull(columns.observed, row);
      this.findings.set(kind, { count: (known?.count ?? 0) + 1, sample });
      this.#mark(kind, [accounts[row]!, receivers[row]!]);
      const check = VIOLATED_BY[kind];
      if (check === undefined) continue;
      const violation = findingViolation(this.edgeId, batch, row);
      const { hash, blockNumber, observed } = violation;
      if (this.#rules.isNew(`${kind} ${blockNumber} ${hash} ${observed}`))
        this.#rules.logs[check].add(violation);
    }
  }

  #mark(kind: FindingKind, accounts: readonly number[]): void {
    if (kind === 'block_replaced') this.marks.markReplaced();
    if (kind === 'feed_unconfirmed') this.marks.markFeedUnconfirmed();
    if (kind === 'deep_reorganisation') this.marks.markEverywhere('reorganised');
    if (kind === 'blocks_unread') this.marks.markEverywhere('blocks_unread');
    for (const account of accounts) {
      if (account < 0) continue;
      if (kind === 'foreign') this.marks.markForeign(account);
      if (kind === 'malformed_receipt') this.marks.markMalformed(account);
    }
  }
}
