import { toHex } from '#load/chain';
import { FeedAudit } from '../correlation/feed-audit.ts';
import { FindingRecorder } from '../correlation/finding-log.ts';
import { AccountScheduler } from '../drive/account-scheduler.ts';
import { Arrivals, RandomSource } from '../drive/arrivals.ts';
import { LoadCurve } from '../drive/load-curve.ts';
import { LoadDriver } from '../drive/load-driver.ts';
import type { FeedEvent } from '../feed/feed-event.ts';
import { feesAt, readHead } from '../funding/chain-view.ts';
import { Latencies } from '../ledger/latencies.ts';
import { type AnswerMeaning, Ledger } from '../ledger/ledger.ts';
import { RunFacts } from '../ledger/run-facts.ts';
import type { AddressBook } from '../plan/account-keys.ts';
import { type EdgePlan, readUrlsOf, usersOf } from '../plan/edge-plan.ts';
import { RpcConnectionPool } from '../rpc/rpc-connection-pool.ts';
import type { RpcReply } from '../rpc/rpc-reply.ts';
import type { BlockReceipts, GasAlarm } from '../settlement/block-receipts.ts';
import { ReaderThread } from '../settlement/reader-thread.ts';
import { type Blueprint, Mix } from '../transaction/blueprint.ts';
import { NonceLine } from '../transaction/nonce-line.ts';
import type { OpenTransaction } from '../transaction/open-transaction.ts';
import type { Fees } from '../transaction/signing-order.ts';
import { SigningPool } from '../transaction/signing-pool.ts';
import { SigningStock } from '../transaction/signing-stock.ts';
import { NonceRecovery } from './nonce-recovery.ts';
import type { RunContext } from './run-context.ts';
import { type SlicedTask, SlicedWork } from './sliced-work.ts';
import { lowestGasLimit, type StartState, tipOf } from './start-state.ts';

export interface LoadEngineOptions {
  readonly context: RunContext;
  readonly book: AddressBook;
  readonly start: StartState;
  /** A thread has ended. */
  readonly onBroken: (error: Error) => void;
}

const HASH_BYTES = 32;
/** Seconds of the peak rate that are signed in advance. */
const STOCK_S = 5;
const STOCK_MAX = 100_000;
const STOCK_A_ACCOUNT_MIN = 2;
const STOCK_A_ACCOUNT_MAX = 1_024;
/** Margin, since the order of accounts is not known in advance. */
const RESERVE_A_ACCOUNT = 2;
/**
 * Seconds of the peak rate for which connections are opened in advance; longer than a sequencer's answer. A
 * connection opened under load may wait for many seconds: servers on one event loop accept one or two in each
 * turn, in which they answer hundreds of requests.
 */
const WARM_UP_S = 1;

/** Connects the parts that send transactions with those that observe them. */
export class LoadEngine {
  readonly ledger: Ledger;
  readonly latencies: Latencies;
  readonly driver: LoadDriver;
  readonly reader: ReaderThread;
  readonly #options: LoadEngineOptions;
  readonly #curve: LoadCurve;
  readonly #connections: RpcConnectionPool<OpenTransaction>;
  readonly #scheduler: AccountScheduler;
  readonly #pool: SigningPool;
  readonly #stock: SigningStock;
  readonly #recovery: NonceRecovery;
  readonly #findings: FindingRecorder;
  /** Compares the feed with the chain. */
  readonly feedAudit: FeedAudit;
  readonly #hasFeed: boolean;
  readonly #work = new SlicedWork();
  #fees: Fees;
  #isListening = true;
  /** Why receipts are requested one by one. */
  #fallback: string | undefined;

  constructor(options: LoadEngineOptions) {
    const { context, book, start, onBroken } = options;
    const { clock, events, counters } = context;
    const { plan, rpc } = context.target;
    this.#options = options;
    this.#fees = start.fees;
    this.#hasFeed = plan.correlation.feed === 'per_edge';
    this.#curve = new LoadCurve(plan.load.stages);
    this.latencies = new Latencies(plan.load.stages.map(({ exclude }) => exclude));
    const { latencies } = this;
    const findings = new FindingRecorder(events, clock);
    const facts = new RunFacts(plan.load.stages, start.blueprints, book);
    const ledger = new Ledger({
      facts,
      events,
      findings,
      counters,
      latencies,
      correlation: plan.correlation,
    });
    this.ledger = ledger;
    this.#findings = findings;
    this.feedAudit = new FeedAudit({
      ...{ findings, signer: plan.feedSigner, hasFeed: this.#hasFeed, start: start.head },
      isOwn: (hash) => ledger.hasSent(hash),
    });
    const lines = start.accounts.map(({ nonce }) => new NonceLine(nonce));
    const arrivals = arrivalsOf(plan, this.#curve);
    this.#pool = createPool(options);
    this.#stock = new SigningStock({
      pool: this.#pool,
      mix: new Mix(plan.mix, plan.randomSeed),
      blueprints: start.blueprints,
      lines,
      depth: stockDepth(this.#curve.peakRate, lines.length),
      demand: () => (arrivals?.left ?? Infinity) + RESERVE_A_ACCOUNT * lines.length,
      onBroken,
    });
    const { inflightPerAccount } = plan.accounts;
    const stock = this.#stock;
    const scheduler = new AccountScheduler({ lines, stock, inflightPerAccount });
    this.#scheduler = scheduler;
    this.#recovery = new NonceRecovery({
      rpc,
      lineOf: (position) => scheduler.lineOf(position),
      addressOf: (position) => book.at(position),
      lateMs: plan.correlation.timeoutMs,
      onCounted: (position) => {
        stock.refill(position);
        scheduler.changed(position);
      },
    });
    const connections = this.#createConnections();
    this.#connections = connections;
    this.driver = new LoadDriver({ plan, arrivals, scheduler, connections, ledger, clock });
    this.reader = this.#createReader();
  }

  /** Signs in advance and connects, within a time limit; the rest is signed during the load. */
  async makeReady(patienceMs: number): Promise<void> {
    const connected = this.#connections.warmUp(this.#connectionsAhead());
    await this.#stock.fill(patienceMs);
    await connected;
  }

  feed(events: readonly FeedEvent[]): void {
    if (!this.#isListening) return;
    for (const event of events) this.#take(event.hashes.length / HASH_BYTES, this.#readingOf(event));
  }

  /** Processes all queued events of feed and chain; later events are processed at once. */
  catchUp(): void {
    this.#work.finish();
  }

  /** Closed model: releases users whose transactions are overdue in the feed. */
  sweep(): void {
    for (const open of this.ledger.sweep(this.#options.context.clock.nowUs())) this.#release(open);
  }

  /** The load's token; null where the mix has none. */
  get token(): Uint8Array | null {
    return this.#options.start.token;
  }

  /** The address of an account of the partition. */
  addressOf(position: number): Uint8Array {
    return this.#options.book.at(position);
  }

  /** If the base fee is near the cap, signs all transactions again with a higher cap. */
  async followFees(): Promise<void> {
    const { context, start } = this.#options;
    const { plan, rpc } = context.target;
    const head = await readHead(rpc);
    const tip = tipOf(plan);
    const fees = feesAt(head, plan.fees.maxFeeMultiplier, tip);
    const isNear = head.baseFee * 3n > (this.#fees.maxFee - tip) * 2n;
    if (!isNear || fees.maxFee <= this.#fees.maxFee) return;
    this.#fees = fees;
    this.#pool.use(start.blueprints, fees);
    this.#stock.renew();
  }

  /** Whether blocks of this run were replaced, by observation or by indications in the feed. */
  get mayHaveReplaced(): boolean {
    return this.ledger.blocks.wasReplaced || this.feedAudit.hasUnconfirmed;
  }

  /** Stops sending, and ignores further events of feed and chain. */
  stopListening(): void {
    this.catchUp();
    this.#isListening = false;
    if (this.#fallback !== undefined) {
      const observed = `${this.#fallback}; ${this.ledger.blocks.singleCount} receipts requested one by one`;
      this.#findings.add('method_missing', { observed });
    }
    this.driver.stop();
    void this.reader.close();
  }

  /** Gives up what is unanswered. */
  async closeConnections(): Promise<void> {
    await this.#connections.close();
  }

  async close(): Promise<void> {
    this.driver.stop();
    this.#recovery.close();
    await Promise.all([this.#connections.close(), this.#pool.close(), this.reader.close()]);
  }

  #connectionsAhead(): number {
    const { target, limits } = this.#options.context;
    const { plan } = target;
    const { count, inflightPerAccount } = plan.accounts;
    const wanted = Math.ceil(this.#curve.peakRate * WARM_UP_S) + usersOf(plan);
    return Math.min(wanted, limits.connections, plan.load.maxInflight, count * inflightPerAccount);
  }

  #answer(open: OpenTransaction, reply: RpcReply): void {
    const { position } = open.signed.item;
    const meaning = this.ledger.answered(open, reply, this.#options.context.clock.nowUs());
    if (open.signed.item.usesNonce) this.#tellLine(open, meaning);
    this.#scheduler.answered(position);
    this.#release(open);
    this.driver.answered();
  }

  #tellLine(open: OpenTransaction, meaning: AnswerMeaning): void {
    const { position, nonce } = open.signed.item;
    const line = this.#scheduler.lineOf(position);
    if (open.outcome === 'included') line.included(nonce);
    else if (meaning === 'accepted') line.accepted(nonce);
    else if (meaning === 'refused') line.rejected(nonce);
    else if (meaning === 'unknown') line.doubted(nonce);
    else line.contradicted(nonce, meaning);
    this.#recovery.watch(position, performance.now());
  }

  #included(open: OpenTransaction): void {
    const { position, nonce, usesNonce } = open.signed.item;
    if (usesNonce) this.#scheduler.lineOf(position).included(nonce);
    this.#stock.refill(position);
    this.#scheduler.changed(position);
    this.#release(open);
    this.driver.pump();
  }

  /** Closed model: releases the transaction's user, once. */
  #release(open: OpenTransaction): void {
    const isSeen =
      open.feedUs !== undefined || !this.#hasFeed || open.outcome === 'rejected' || open.isOverdue;
    if (open.answeredUs === undefined || !isSeen || open.isReleased) return;
    open.isReleased = true;
    this.driver.released();
  }

  /** Runs tasks in order of arrival, in slices while there are transactions to send. */
  #take(length: number, run: SlicedTask['run']): void {
    this.#work.add({ length, run });
    if (!this.driver.isRunning) this.catchUp();
  }

  #readingOf(event: FeedEvent): SlicedTask['run'] {
    let blockNumber: number | null = null;
    return (from, to) => {
      if (from === 0) {
        this.feedAudit.message(event);
        blockNumber = this.feedAudit.blockOf(event.sequenceNumber);
      }
      for (const open of this.ledger.feed(event, blockNumber, from, to)) this.#included(open);
    };
  }

  #applyingOf(block: BlockReceipts): SlicedTask['run'] {
    const { blocks } = this.ledger;
    let before = 0;
    return (from, to) => {
      if (from === 0) {
        before = blocks.foreignCount;
        this.feedAudit.block(block);
      }
      for (const open of blocks.apply(block, from, to)) this.#included(open);
      if (to === block.positions.length) this.#warnOfForeign(block, blocks.foreignCount - before);
    };
  }

  #warnOfForeign({ blockNumber }: BlockReceipts, count: number): void {
    if (count === 0) return;
    const fields = { event: 'load.foreign', block: blockNumber, count };
    this.#options.context.log.warn(fields, 'transactions of other senders found in our accounts');
  }

  #replaced(blockNumber: number): void {
    this.#options.context.log.warn({ event: 'load.block_replaced', block: blockNumber }, 'block replaced');
    this.feedAudit.replaced(blockNumber);
    this.ledger.blocks.replaced(blockNumber);
  }

  #createConnections(): RpcConnectionPool<OpenTransaction> {
    const { target, limits, clock } = this.#options.context;
    const { plan, headers } = target;
    return new RpcConnectionPool({
      urls: plan.rpcUrls,
      connections: limits.connections,
      ...{ timeoutMs: plan.rpcTimeoutMs, headers },
      listener: {
        onStart: (open) => {
          this.ledger.started(open, clock.nowUs());
        },
        onReply: (open, reply) => {
          this.#answer(open, reply);
        },
      },
    });
  }

  #createReader(): ReaderThread {
    const { context, book, start, onBroken } = this.#options;
    const { log, clock, target } = context;
    const { plan, headers } = target;
    const setup = {
      url: readUrlsOf(plan),
      headers,
      timeoutMs: plan.rpcTimeoutMs,
      epochUs: clock.epochUs,
      start: start.head,
      addresses: book.bytes,
      alarm: alarmOf(start.blueprints),
    };
    return new ReaderThread(setup, {
      onBlock: (block) => {
        this.#take(block.positions.length, this.#applyingOf(block));
      },
      onReplaced: (blockNumber) => {
        this.#take(0, () => this.#replaced(blockNumber));
      },
      onDeep: (blockNumber) => {
        this.#take(0, () => this.ledger.blocks.deep(blockNumber));
      },
      onUnread: (blockNumber, message) => {
        this.#take(0, () => this.ledger.blocks.unread(blockNumber, message));
      },
      onFallback: (reason) => {
        this.#fallback = reason;
        log.warn({ event: 'load.method_missing', reason }, 'RPC method missing, reading single receipts');
      },
      onTrouble: (message) => {
        log.warn({ event: 'load.block_unread', reason: message }, 'block unreadable, retrying');
      },
      onBroken,
    });
  }
}

/** Arrivals of the open model; undefined in the closed one. */
function arrivalsOf(plan: EdgePlan, curve: LoadCurve): Arrivals | undefined {
  if (plan.load.model === 'closed') return undefined;
  return new Arrivals(curve, new RandomSource(plan.randomSeed), plan.load);
}

function createPool({ context, book, start }: LoadEngineOptions): SigningPool {
  const { target, limits } = context;
  const { chainId, accounts } = target.plan;
  const setup = { seed: target.seed.reveal(), firstAccount: accounts.first, addresses: book.bytes, chainId };
  const pool = new SigningPool(setup, limits.signers);
  pool.use(start.blueprints, start.fees);
  return pool;
}

function stockDepth(peakRate: number, accounts: number): number {
  const wanted = Math.ceil(Math.min(peakRate * STOCK_S, STOCK_MAX) / accounts);
  return Math.min(Math.max(wanted, STOCK_A_ACCOUNT_MIN), STOCK_A_ACCOUNT_MAX);
}

function alarmOf(blueprints: readonly Blueprint[]): GasAlarm {
  const token = blueprints.find((one) => one.token !== null)?.token ?? null;
  return {
    creation: lowestGasLimit(blueprints, ({ receiver }) => receiver === null),
    token: lowestGasLimit(blueprints, (one) => one.token !== null),
    plain: lowestGasLimit(blueprints, (one) => one.token === null && one.receiver !== null),
    tokenAddress: token === null ? null : toHex(token),
  };
}
