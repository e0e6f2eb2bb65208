/**
 * One edge's part of a load test, from its plan to its last event:
 *
 *   check        compare chain, feed, seed and funds with the plan; then acknowledge the plan to the hive
 *   make ready   deploy, pin the start block, read all accounts at it, sign ahead, connect
 *   run          send, until the load curve ends; drain; read all blocks; read all accounts at the last one
 *   reclaim      return the remaining balances to the funder
 */
import { fromHex, toQuantity } from '#load/chain';
import type { RateApplied, RateOrder, Tally } from '#load/protocol';
import { assert, DomainError, MicroClock } from '#platform/foundation';
import { FindingRecorder } from '../correlation/finding-log.ts';
import type { FeedEvent } from '../feed/feed-event.ts';
import { readAccountsFound, readHead } from '../funding/chain-view.ts';
import { leftText, reclaim, reclaimedFields } from '../funding/reclaim.ts';
import { droppedOf, IntervalRecorder } from '../ledger/interval-recorder.ts';
import type { Latency } from '../ledger/latencies.ts';
import type { LatencyBuckets } from '../ledger/latency-buckets.ts';
import type { LoadSource } from '../ledger/load-source.ts';
import { FeedTally, tallyOf, zeroCounts } from '../ledger/tally.ts';
import { AddressBook } from '../plan/account-keys.ts';
import { type ContractSetup, NO_SETUP } from '../plan/contract-setup.ts';
import { readUrlsOf } from '../plan/edge-plan.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';
import { readText } from '../rpc/json-rpc.ts';
import { FeedLink } from './feed-link.ts';
import { Load } from './load.ts';
import type { LoadTarget } from './load-target.ts';
import type { LoadRunOptions, RunContext } from './run-context.ts';
import { revertFindings } from './revert-findings.ts';
import { drain, type ReadEnd, readToTheEnd } from './settle.ts';
import { addressesOf, fixedGasLimit, readStartState, recordBalances, tipOf } from './start-state.ts';

/** The phases of a run, in this order; `failed` can follow each. */
export type RunPhase =
  'prepared' | 'presigning' | 'ready' | 'running' | 'draining' | 'settling' | 'done' | 'failed';

export interface RunProgress {
  readonly phase: RunPhase;
  /** The reason of `failed`, else empty. */
  readonly reason: string;
  readonly tally: Tally;
  /** The tally of the measured stages. */
  readonly measured: Tally;
  /** HDR, compressed V2, microseconds; of the stages that are not excluded, up to the last interval. */
  readonly histograms: Readonly<Partial<Record<Latency, Uint8Array>>>;
  readonly rates: readonly RateApplied[];
}

const FEED_CONNECT_MS = 10_000;
const READY_MS_MAX = 30_000;
const SWEEP_MS = 250;
const FEES_MS = 5_000;
/** The answer of `eth_getCode` for an address without a contract. */
const NO_CODE = '0x';

export class LoadRun {
  readonly #target: LoadTarget;
  readonly #context: RunContext;
  readonly #broken = Promise.withResolvers<never>();
  readonly #aborting = new AbortController();
  readonly #findings: FindingRecorder;
  #feedTally: FeedTally;
  #book: AddressBook | undefined;
  #feed: FeedLink | undefined;
  #load: Load | undefined;
  #phase: RunPhase = 'prepared';
  #reason = '';
  #aborted: string | undefined;
  #isCounted = false;
  #timers: NodeJS.Timeout[] = [];

  constructor(options: LoadRunOptions) {
    this.#target = options.target;
    this.#context = { ...options, clock: new MicroClock() };
    this.#feedTally = new FeedTally(options.counters, options.target.plan.load.stages);
    this.#findings = new FindingRecorder(options.events, this.#context.clock);
    // Prevents an unhandled rejection; everything that the run awaits is raced against it.
    this.#broken.promise.catch(() => undefined);
  }

  get phase(): RunPhase {
    return this.#phase;
  }

  /** The state of the feed; undefined if the plan does not read it. */
  get feed(): { readonly isConnected: boolean; readonly lastSequence: number } | undefined {
    return this.#feed;
  }

  progress(): RunProgress {
    const histograms = Object.entries(this.#load?.latencies.total() ?? {}).filter(
      ([, bytes]) => bytes !== null,
    );
    return {
      phase: this.#phase,
      reason: this.#reason,
      ...this.#tallies(),
      histograms: Object.fromEntries(histograms),
      rates: this.#load?.rates ?? [],
    };
  }

  /** The run's figures for Prometheus. */
  get load(): LoadSource {
    return {
      tally: () => this.#tallies().tally,
      targetRate: () => this.#load?.driver.targetRate ?? 0,
      latencies: (bounds) => this.#load?.latencies.buckets(bounds) ?? new Map<string, LatencyBuckets>(),
    };
  }

  /** Checks the plan's conditions. Throws PLAN_REFUSED with the reason, or RPC_FAILED. */
  async check(): Promise<void> {
    const { plan, accounts: keys } = this.#target;
    await this.#target.checkRpcs(this.#context.log);
    if (plan.correlation.feed === 'per_edge') await this.#connectFeed();
    const { first, count } = plan.accounts;
    this.#book = await AddressBook.derive(keys, first, count);
    await this.#target.checkFunds(this.#book);
    await this.#target.checkContracts();
    await this.#target.openExpressLane();
  }

  /** Throws RPC_FAILED, or INVALID_REQUEST for calls that do not fit. */
  async makeReady(setup: ContractSetup = NO_SETUP): Promise<void> {
    const book = this.#book;
    assert(book !== undefined, 'a plan is checked before it is made ready');
    this.#enter('presigning');
    const start = await readStartState(this.#target, book, setup);
    const { number: block } = start.head;
    await recordBalances(this.#context.events, book, { at: 'start', block, accounts: start.accounts });
    this.#load = new Load({ context: this.#context, book, start, onBroken: this.#broken.reject });
    // Earlier messages have no rows.
    this.#feedTally = new FeedTally(this.#context.counters, this.#target.plan.load.stages);
    await this.#unlessBroken(this.#load.makeReady(READY_MS_MAX));
    this.#enter('ready');
  }

  /** Runs from the first transaction at `startAtUs`, or now if it is past, to the end. Never rejects. */
  async run(startAtUs: number): Promise<void> {
    const load = this.#load;
    assert(load !== undefined, 'a run is made ready before it starts');
    const { clock, log } = this.#context;
    const intervals = this.#startTimers(load);
    try {
      this.#enter('running');
      await this.#unlessBroken(load.run(Math.max(startAtUs, clock.nowUs())));
      this.#throwIfAborted();
      this.#enter('draining');
      await this.#unlessBroken(drain(load, this.#target));
      this.#throwIfAborted();
      this.#enter('settling');
      const { lastBlock, states } = await this.#unlessBroken(readToTheEnd(load, this.#target));
      this.#finish(load, intervals, states);
      await this.#unlessBroken(this.#recordEnd(load, lastBlock));
      await this.#reclaim();
      this.#enter('done');
    } catch (error) {
      this.#finish(load, intervals);
      this.fail(error instanceof Error ? error.message : String(error));
      if (!(error instanceof DomainError)) log.error({ event: 'load.failed', err: error }, 'run failed');
    } finally {
      await this.close();
    }
  }

  changeRate(order: RateOrder): void {
    this.#load?.changeRate(order);
  }

  /** Stops sending. With abort: without settling, and the run has failed. */
  stop(isAbort: boolean, reason: string): void {
    if (isAbort) {
      this.#aborted = reason;
      this.#aborting.abort();
      this.#broken.reject(new DomainError('RUN_ENDED', `aborted: ${reason}`));
    }
    this.#load?.driver.stop();
  }

  /** Fails the run from outside, before its start or because it cannot continue. */
  fail(reason: string): void {
    this.#enter('failed');
    this.#reason = reason;
  }

  /** Ends the threads, and closes the connections. */
  async close(): Promise<void> {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    await Promise.all([this.#load?.close(), this.#feed?.close(), this.#target.rpc.close()]);
    const { sent, included } = this.#tallies().tally;
    const counts = { 'run.phase': this.#phase, 'run.sent': sent, 'run.included': included };
    this.#context.trace?.end(counts, this.#phase === 'failed' ? 'run_failed' : undefined);
  }

  #enter(phase: RunPhase): void {
    this.#phase = phase;
    this.#context.trace?.enter(phase);
  }

  async #connectFeed(): Promise<void> {
    const { plan, rpc, headers } = this.#target;
    const { clock, counters, log } = this.#context;
    const { feedUrl: url = '', chainId, feedSigner } = plan;
    // If block numbers equal sequence numbers, the feed sends no old messages.
    const fromSequence = (await readHead(rpc)).number;
    this.#feed = new FeedLink({
      setup: {
        url,
        headers,
        chainId,
        epochUs: clock.epochUs,
        fromSequence,
        signer: feedSigner?.toLowerCase(),
      },
      counters,
      log,
      onMessages: (events: readonly FeedEvent[]) => this.#onFeed(events),
      onConfirmedAhead: (confirmed, last) => this.#load?.engine.onConfirmedAhead(confirmed, last),
      onBroken: this.#broken.reject,
    });
    await this.#feed.connected(Math.min(FEED_CONNECT_MS, plan.rpcTimeoutMs));
  }

  #onFeed(events: readonly FeedEvent[]): void {
    this.#feedTally.count(this.#load?.driver.stage ?? 0);
    this.#load?.engine.onMessages(events);
  }

  #startTimers(load: Load): IntervalRecorder {
    const { clock, events, log } = this.#context;
    const { ledger, latencies, driver } = load;
    const options = { ledger, latencies, events, feed: this.#feedTally };
    const intervals = new IntervalRecorder(options, clock.nowUs());
    const followFees = async (): Promise<void> => {
      try {
        await load.followFees();
      } catch (error) {
        if (!(error instanceof RpcFailure)) throw error;
        log.warn({ event: 'load.fees_unknown', reason: error.message }, 'base fee unknown');
      }
    };
    this.#timers = [
      setInterval(() => {
        intervals.record(driver.stage, clock.nowUs());
      }, this.#target.plan.telemetry.intervalMs),
      setInterval(() => {
        load.engine.sweep();
      }, SWEEP_MS),
      setInterval(() => void followFees(), FEES_MS),
    ];
    return intervals;
  }

  /** Ends all counting. Without `states`, accepted transactions that were not found are undecided. */
  #finish(load: Load, intervals: IntervalRecorder, states?: ReadEnd['states']): void {
    if (this.#isCounted) return;
    this.#isCounted = true;
    const { ledger, driver } = load;
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    load.stopListening();
    const nowUs = this.#context.clock.nowUs();
    ledger.close(nowUs, states);
    intervals.record(driver.stage, nowUs);
    intervals.close();
    this.#feedTally.close();
  }

  /** What could not be read is a gap of the checks. */
  async #recordEnd(load: Load, block: number): Promise<void> {
    const { token } = load;
    const book = this.#book;
    assert(book !== undefined, 'a run has accounts');
    const { events, log } = this.#context;
    const { accounts, failure } = await readAccountsFound(this.#target.rpc, addressesOf(book), {
      block,
      token,
    });
    if (failure !== undefined) {
      const fields = { event: 'load.end_unread', block, reason: failure.message };
      log.warn(fields, 'final state of accounts not read completely');
      this.#findings.add('state_unread', { block_number: block, observed: failure.message });
    }
    await recordBalances(events, book, { at: 'end', block, accounts });
    await this.#checkContracts(load, block);
    await this.#explainReverts(load);
    for (const observed of await this.#target.otherChains()) {
      this.#findings.add('chain_id_changed', { expected: `chain id ${this.#target.plan.chainId}`, observed });
    }
  }

  async #explainReverts(load: Load): Promise<void> {
    const found = await revertFindings(load, this.#target);
    const texts = found.map(({ text }) => text);
    const outOfGas = found.flatMap((one) => one.outOfGas ?? []);
    if (texts.length > 0) this.#findings.add('calls_reverted', { observed: texts.join('. ') });
    if (outOfGas.length > 0) this.#findings.add('out_of_gas', { observed: outOfGas.join('. ') });
  }

  /** The contracts of the load have their code. */
  async #checkContracts(load: Load, block: number): Promise<void> {
    const created = [...load.ledger.blocks.created];
    const params = created.map(([, { address }]) => [address, toQuantity(block)]);
    const codes = await this.#target.rpc.callEach('eth_getCode', params, readText);
    const [failure] = codes.filter((code) => code instanceof RpcFailure);
    if (failure !== undefined) {
      this.#findings.add('state_unread', { block_number: block, observed: failure.message });
    }
    for (const [at, [hash, { address, position, nonce }]] of created.entries()) {
      const code = codes[at];
      if (code !== NO_CODE) continue;
      this.#findings.add('contract_code', {
        account: load.addressOf(position),
        hash: fromHex(hash),
        nonce,
        block_number: block,
        expected: `code at ${address}`,
        observed: 'none',
      });
    }
  }

  /** Balances that are not returned are a finding, and no failure of the run. */
  async #reclaim(): Promise<void> {
    const { plan, accounts: keys, headers } = this.#target;
    const { log } = this.#context;
    const { funder, first, reclaim: isWanted } = plan.accounts;
    const book = this.#book;
    if (!isWanted || funder === null || book === undefined) return;
    const { rpcTimeoutMs: timeoutMs, chainId } = plan;
    const keyOf = (position: number): Uint8Array => keys.keyOf(first + position);
    const to = fromHex(funder.address);
    const urls = { url: readUrlsOf(plan), sendUrl: plan.rpcUrls };
    const target = { ...urls, timeoutMs, headers, chainId, priorityFee: tipOf(plan) };
    const gasLimit = fixedGasLimit(plan);
    try {
      const done = await reclaim({
        target,
        to,
        gasLimit,
        addresses: addressesOf(book),
        keyOf,
        signal: this.#aborting.signal,
      });
      this.#throwIfAborted();
      const fields = reclaimedFields(done);
      if (done.leftAccounts === 0) {
        log.info({ event: 'load.reclaimed', ...fields }, 'remaining balances returned to the funder');
        return;
      }
      log.warn({ event: 'load.not_reclaimed', ...fields }, 'remaining balances not returned');
      this.#findings.add('not_reclaimed', { observed: leftText(done) });
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error;
      log.warn({ event: 'load.not_reclaimed', reason: error.message }, 'remaining balances not returned');
      this.#findings.add('not_reclaimed', { observed: error.message });
    }
  }

  #tallies(): Pick<RunProgress, 'tally' | 'measured'> {
    const ledger = this.#load?.ledger;
    const beside = { inFlight: ledger?.openCount ?? 0, eventsDropped: droppedOf(this.#context.events) };
    const { total, measured } = this.#feedTally;
    return {
      tally: tallyOf(ledger?.total ?? zeroCounts(), { ...beside, ...total }),
      measured: tallyOf(ledger?.measured ?? zeroCounts(), { ...beside, ...measured }),
    };
  }

  #unlessBroken<T>(step: Promise<T>): Promise<T> {
    return Promise.race([step, this.#broken.promise]);
  }

  #throwIfAborted(): void {
    if (this.#aborted !== undefined) throw new DomainError('RUN_ENDED', `aborted: ${this.#aborted}`);
  }
}
