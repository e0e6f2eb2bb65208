import type { RateApplied, RateOrder } from '#load/protocol';
import { assert } from '#platform/foundation';
import { FeedAudit } from '../correlation/feed-audit.ts';
import { FindingRecorder } from '../correlation/finding-log.ts';
import { AccountScheduler } from '../drive/account-scheduler.ts';
import { Arrivals, RandomSource } from '../drive/arrivals.ts';
import { LoadCurve } from '../drive/load-curve.ts';
import { LoadDriver } from '../drive/load-driver.ts';
import { ReadLoad } from '../drive/read-load.ts';
import { ReadRequests } from '../drive/read-requests.ts';
import { feesAt, readHead } from '../funding/chain-view.ts';
import { Latencies } from '../ledger/latencies.ts';
import { Ledger } from '../ledger/ledger.ts';
import { RunFacts } from '../ledger/run-facts.ts';
import type { AddressBook } from '../plan/account-keys.ts';
import { type EdgePlan, readUrlsOf, usersOf } from '../plan/edge-plan.ts';
import { RpcConnectionPool } from '../rpc/rpc-connection-pool.ts';
import { ReaderThread } from '../settlement/reader-thread.ts';
import { Mix, type Payload, payloadOf } from '../transaction/blueprint.ts';
import { NonceLine } from '../transaction/nonce-line.ts';
import { RequestCompleter } from '../transaction/request-completer.ts';
import type { OpenTransaction } from '../transaction/open-transaction.ts';
import type { Fees, SigningItem } from '../transaction/signing-order.ts';
import { SigningPool } from '../transaction/signing-pool.ts';
import { SigningStock } from '../transaction/signing-stock.ts';
import { LoadEngine } from './load-engine.ts';
import { NonceRecovery } from './nonce-recovery.ts';
import type { RunContext } from './run-context.ts';
import { gasAlarmOf, type StartState, tipOf } from './start-state.ts';

export interface LoadOptions {
  readonly context: RunContext;
  readonly book: AddressBook;
  readonly start: StartState;
  /** A thread has ended. */
  readonly onBroken: (error: Error) => void;
}

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

/**
 * The load of a run: what records it, what sends it and what observes it, built in this order. The engine
 * between them routes the events.
 */
export class Load {
  readonly ledger: Ledger;
  readonly latencies: Latencies;
  /** Compares the feed with the chain. */
  readonly feedAudit: FeedAudit;
  readonly driver: LoadDriver;
  readonly engine: LoadEngine;
  readonly reader: ReaderThread;
  /** Undefined without reads in the plan. */
  readonly #reads: ReadLoad | undefined;
  readonly #options: LoadOptions;
  readonly #curve: LoadCurve;
  readonly #pool: SigningPool;
  readonly #stock: SigningStock;
  readonly #connections: RpcConnectionPool<OpenTransaction>;
  readonly #recovery: NonceRecovery;
  readonly #rates: RateApplied[] = [];
  #fees: Fees;

  constructor(options: LoadOptions) {
    const { context, start, onBroken } = options;
    const { plan } = context.target;
    this.#options = options;
    this.#fees = start.fees;
    this.#curve = new LoadCurve(plan.load.stages);
    this.latencies = new Latencies(plan.load.stages.map(({ exclude }) => exclude));
    const findings = new FindingRecorder(context.events, context.clock);
    const ledger = ledgerOf(options, findings, this.latencies);
    this.ledger = ledger;
    this.feedAudit = new FeedAudit({
      findings,
      signer: plan.feedSigner,
      hasFeed: plan.correlation.feed === 'per_edge',
      start: start.head,
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
    const scheduler = new AccountScheduler({ lines, stock: this.#stock, inflightPerAccount });
    this.#recovery = recoveryOf(options, scheduler);
    this.#connections = connectionsOf(context);
    const { clock } = context;
    const { expressLane } = start;
    this.driver = new LoadDriver({
      plan,
      curve: this.#curve,
      arrivals,
      scheduler,
      connections: this.#connections,
      requests: new RequestCompleter(start.blueprints, expressLane),
      ledger,
      clock,
    });
    this.engine = new LoadEngine({
      context,
      ledger,
      feedAudit: this.feedAudit,
      scheduler,
      recovery: this.#recovery,
      driver: this.driver,
      expressLane,
    });
    this.#connections.listen(this.engine);
    this.reader = readerOf(options, this.engine);
    this.#reads = readsOf(options, this.reader, this.driver);
  }

  /** The number of sent reads without an answer. */
  get unansweredReads(): number {
    return this.#reads?.unanswered ?? 0;
  }

  /** Sends from this time on; resolves when the load has ended or was stopped. */
  async run(startUs: number): Promise<void> {
    this.#reads?.start(startUs);
    try {
      await this.driver.run(startUs);
    } finally {
      this.#reads?.stop();
    }
  }

  /** Signs in advance and connects, within a time limit; the rest is signed during the load. */
  async makeReady(patienceMs: number): Promise<void> {
    const connected = this.#connections.warmUp(this.#connectionsAhead());
    await this.#stock.fill(patienceMs);
    await connected;
  }

  /** Changes the rate from a time on, where the load still goes on. An earlier number is ignored. */
  changeRate({ number, atMs, rate }: RateOrder): void {
    if (number <= (this.#rates.at(-1)?.number ?? 0)) return;
    const fromMs = this.driver.changeRate({ atMs, rate });
    if (fromMs === undefined) return;
    this.#rates.push({ number, atMs: fromMs });
    this.#stock.deepen(stockDepth(this.#curve.peakRate, this.#options.start.accounts.length));
  }

  /** The changes of the rate so far. */
  get rates(): readonly RateApplied[] {
    return this.#rates;
  }

  /** The load's token; null where the mix has none. */
  get token(): Uint8Array | null {
    return this.#options.start.token;
  }

  /** The address of an account of the partition. */
  addressOf(position: number): Uint8Array {
    return this.#options.book.at(position);
  }

  /** What was signed for an item. */
  sentAs({ entry, position, nonce, variant }: SigningItem): {
    readonly payload: Payload;
    readonly gasLimit: bigint;
  } {
    const { book, start } = this.#options;
    const blueprint = start.blueprints[entry];
    assert(blueprint !== undefined, 'an entry of the mix');
    const gasLimit = blueprint.gasLimit + BigInt(variant);
    return { payload: payloadOf(blueprint, { book, position, nonce }), gasLimit };
  }

  /** Whether blocks of this run were replaced, by observation or by indications in the feed. */
  get mayHaveReplaced(): boolean {
    return this.ledger.blocks.wasReplaced || this.feedAudit.hasUnconfirmed;
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

  /** Stops sending, and ignores further events of feed and chain. */
  stopListening(): void {
    this.engine.stopListening();
    this.ledger.blocks.end();
    this.driver.stop();
    void this.reader.close();
  }

  /** Gives up what is unanswered. */
  async closeConnections(): Promise<void> {
    await Promise.all([this.#connections.close(), this.#reads?.close()]);
  }

  async close(): Promise<void> {
    this.driver.stop();
    this.#recovery.close();
    const reads = this.#reads?.close();
    await Promise.all([this.#connections.close(), reads, this.#pool.close(), this.reader.close()]);
  }

  #connectionsAhead(): number {
    const { target, limits } = this.#options.context;
    const { plan } = target;
    const { count, inflightPerAccount } = plan.accounts;
    const wanted = Math.ceil(this.#curve.peakRate * WARM_UP_S) + usersOf(plan);
    return Math.min(wanted, limits.connections, plan.load.maxInflight, count * inflightPerAccount);
  }
}

function ledgerOf(
  { context, book, start }: LoadOptions,
  findings: FindingRecorder,
  latencies: Latencies,
): Ledger {
  const { events, counters, target } = context;
  const { load, correlation } = target.plan;
  const nonces = start.accounts.map(({ nonce }) => nonce);
  const facts = new RunFacts({ stages: load.stages, blueprints: start.blueprints, book, nonces });
  return new Ledger({ facts, events, findings, counters, latencies, correlation });
}

function recoveryOf({ context, book }: LoadOptions, scheduler: AccountScheduler): NonceRecovery {
  const { plan, rpc } = context.target;
  return new NonceRecovery({
    rpc,
    lineOf: (position) => scheduler.lineOf(position),
    addressOf: (position) => book.at(position),
    lateMs: plan.correlation.timeoutMs,
    onCounted: (position) => {
      scheduler.lineChanged(position);
    },
  });
}

function connectionsOf({ target, limits }: RunContext): RpcConnectionPool<OpenTransaction> {
  const { plan, headers } = target;
  return new RpcConnectionPool({
    urls: plan.rpcUrls,
    connections: limits.connections,
    timeoutMs: plan.rpcTimeoutMs,
    headers,
  });
}

/** Reads go to the read URLs in turn, on connections of their own. */
function readsOf(
  { context, book, start }: LoadOptions,
  reader: ReaderThread,
  driver: LoadDriver,
): ReadLoad | undefined {
  const { target, limits, events, clock } = context;
  const { plan, headers } = target;
  const { reads: plans = [], accounts, load } = plan;
  if (plans.length === 0) return undefined;
  const total = accounts.total ?? accounts.count;
  const head = (): number => reader.lastBlock;
  return new ReadLoad({
    requests: new ReadRequests({ plans, setup: start.setup, book, accounts: total, head }),
    connections: new RpcConnectionPool({
      urls: readUrlsOf(plan),
      connections: limits.connections,
      timeoutMs: plan.rpcTimeoutMs,
      headers,
    }),
    events,
    clock,
    stage: () => ({ index: driver.stage, isExcluded: load.stages[driver.stage]?.exclude === true }),
  });
}

function readerOf({ context, book, start, onBroken }: LoadOptions, engine: LoadEngine): ReaderThread {
  const { clock, target } = context;
  const { plan, headers } = target;
  const setup = {
    url: readUrlsOf(plan),
    headers,
    timeoutMs: plan.rpcTimeoutMs,
    epochUs: clock.epochUs,
    start: start.head,
    addresses: book.bytes,
    alarm: gasAlarmOf(start.blueprints),
  };
  return new ReaderThread(setup, engine, onBroken);
}

/** Arrivals of the open model; undefined in the closed one. */
function arrivalsOf(plan: EdgePlan, curve: LoadCurve): Arrivals | undefined {
  if (plan.load.model === 'closed') return undefined;
  return new Arrivals(curve, new RandomSource(plan.randomSeed), plan.load);
}

function createPool({ context, book, start }: LoadOptions): SigningPool {
  const { target, limits } = context;
  const { chainId, accounts } = target.plan;
  const first = { firstAccount: accounts.first, addresses: book.bytes };
  const setup = { accounts: target.accounts.secret, ...first, chainId };
  const pool = new SigningPool(setup, limits.signers);
  pool.use(start.blueprints, start.fees);
  return pool;
}

function stockDepth(peakRate: number, accounts: number): number {
  const wanted = Math.ceil(Math.min(peakRate * STOCK_S, STOCK_MAX) / accounts);
  return Math.min(Math.max(wanted, STOCK_A_ACCOUNT_MIN), STOCK_A_ACCOUNT_MAX);
}
