import type { HiveOrders, HiveUplink, PrepareOrder, RateOrder } from '#load/protocol';
import { EventBuffer, TABLE_NAMES, type TableName } from '#load/telemetry';
import { DomainError } from '#platform/foundation';
import { type Log, PhaseTrace } from '#platform/observability';
import type { LoadSource } from '../ledger/load-source.ts';
import type { LoadCounters } from '../ledger/tally.ts';
import { type EdgePlan, parseEdgePlan } from '../plan/edge-plan.ts';
import type { Environment } from '../plan/target-headers.ts';
import { LoadTarget, refusalReasonOf } from '../run/load-target.ts';
import { LoadRun } from '../run/load-run.ts';
import type { EdgeConfig } from './edge-config.ts';
import { HiveRun } from './hive-run.ts';

export interface EdgeRunServiceOptions {
  readonly config: EdgeConfig;
  /** Number of signing threads. */
  readonly signers: number;
  readonly environment: Environment;
  readonly counters: LoadCounters;
  readonly logger: Log;
  /** Maximum time without contact to the hive before a run stops sending. */
  readonly hiveSilentMsMax: number;
}

/** The state that the edge reports. */
export interface EdgeRunState {
  /** Id of the current run; empty if there is none. */
  readonly runId: string;
  readonly phase: string;
  /** 0 before the first checked plan. */
  readonly chainId: number;
  readonly isRpcFine: boolean;
  readonly feed: { readonly isConnected: boolean; readonly lastSequence: number };
}

const LOOK_MS = 500;

/**
 * Executes the hive's orders, one run at a time. Orders are idempotent, since the hive repeats them after a
 * reconnect: an accepted plan is acknowledged again, a rejected one is checked again.
 */
export class EdgeRunService implements HiveOrders {
  readonly #options: EdgeRunServiceOptions;
  #hive: HiveUplink | undefined;
  #run: HiveRun | undefined;
  #latest: PrepareOrder | undefined;
  #chainId = 0;
  #isRpcFine = false;
  #watch: NodeJS.Timeout | undefined;
  readonly #drops = new DropCounts();

  constructor(options: EdgeRunServiceOptions) {
    this.#options = options;
  }

  /** Sets the hive to answer; call before the first order. */
  serve(hive: HiveUplink): void {
    this.#hive = hive;
    this.#watch = setInterval(() => {
      this.#stopWithoutHive(hive);
    }, LOOK_MS);
  }

  get state(): EdgeRunState {
    const run = this.#run?.isOver === true ? undefined : this.#run;
    return {
      runId: run?.order.runId ?? '',
      phase: run?.phase ?? 'idle',
      chainId: this.#chainId,
      isRpcFine: this.#isRpcFine,
      feed: run?.load.feed ?? { isConnected: false, lastSequence: 0 },
    };
  }

  /** The load of the current or last run; undefined before the first. */
  get load(): LoadSource | undefined {
    return this.#run?.load.load;
  }

  /** The number of dropped events of a table, in all runs. */
  dropped(table: TableName): number {
    return this.#drops.of(table);
  }

  prepare(order: PrepareOrder): void {
    this.#latest = order;
    const run = this.#run;
    if (run !== undefined && isSame(run.order, order)) this.#hive?.ack(order);
    else if (run?.isStarted === true && run.order.runId === order.runId) run.reportProgress();
    else void this.#accept(order);
  }

  makeReady(runId: string, setupJson: string): void {
    void this.#runOf(runId)?.makeReady(setupJson);
  }

  start(runId: string, startAtUs: number): void {
    void this.#runOf(runId)?.start(startAtUs);
  }

  changeRate(order: RateOrder): void {
    this.#runOf(order.runId)?.changeRate(order);
  }

  stop(runId: string, isAbort: boolean, reason: string): void {
    void this.#runOf(runId)?.stop(isAbort, reason);
  }

  /** Stops the run, and lets it settle for at most `graceMs`. */
  async close(graceMs: number): Promise<void> {
    clearInterval(this.#watch);
    const run = this.#run;
    if (run === undefined || run.isOver) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    const stopping = run.stop(false, 'the edge is stopping').then(() => run.over);
    await Promise.race([stopping, late]);
    clearTimeout(timer);
    await run.discard();
  }

  async #accept(order: PrepareOrder): Promise<void> {
    const { logger } = this.#options;
    const { runId, revision } = order;
    try {
      await this.#replaceBy(order);
      if (this.#latest !== order) return;
      logger.info({ event: 'run.prepared', run_id: runId, revision }, 'plan accepted');
      this.#hive?.ack(order);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (this.#latest !== order) return;
      const code = refusalReasonOf(error);
      logger.warn(
        { event: 'run.refused', run_id: runId, revision, code, reason: error.message },
        'plan rejected',
      );
      this.#hive?.nack(order, code, error.message);
    }
  }

  /** Discards the current run: the hive has given it up, or changed its plan. */
  async #replaceBy(order: PrepareOrder): Promise<void> {
    const before = this.#run;
    this.#run = undefined;
    await before?.discard();
    const plan = parseEdgePlan(order.planJson);
    const run = this.#open(order, plan);
    try {
      await run.load.check();
      this.#isRpcFine = true;
      this.#chainId = plan.chainId;
    } catch (error) {
      this.#isRpcFine = false;
      await run.discard();
      throw error;
    }
    if (this.#latest === order) this.#run = run;
    else await run.discard();
  }

  #open(order: PrepareOrder, plan: EdgePlan): HiveRun {
    const { config, signers, environment, counters, logger: log } = this.#options;
    const { telemetry, rpc } = config;
    const hive = this.#hive;
    if (hive === undefined) throw new DomainError('PLAN_REFUSED', 'the edge is not in service');
    const events = new EventBuffer({
      bufferEvents: telemetry.buffer_size,
      batchEvents: telemetry.batch_size,
    });
    this.#drops.follow(events);
    const limits = { signers, connections: rpc.connections };
    const { runId, traceparent } = order;
    const trace = new PhaseTrace('edge.run', { 'run.id': runId, 'edge.id': config.edge_id }, traceparent);
    const target = new LoadTarget(plan, environment);
    const load = new LoadRun({ target, events, counters, log, limits, trace });
    return new HiveRun({ order, load, hive, events, flushMs: telemetry.flush_ms, log });
  }

  #runOf(runId: string): HiveRun | undefined {
    return this.#run?.order.runId === runId ? this.#run : undefined;
  }

  #stopWithoutHive(hive: HiveUplink): void {
    const run = this.#run;
    if (run?.phase !== 'running' || hive.isConnected || hive.silentMs < this.#options.hiveSilentMsMax) return;
    this.#options.logger.warn(
      { event: 'run.orphaned', run_id: run.order.runId },
      'hive lost, sending stopped',
    );
    void run.stop(false, 'the hive is gone');
  }
}

function isSame(a: PrepareOrder, b: PrepareOrder): boolean {
  return a.runId === b.runId && a.revision === b.revision;
}

/** The dropped events in all runs of this edge, by table. */
class DropCounts {
  readonly #before = new Map<TableName, number>();
  #current: EventBuffer | undefined;

  /** Sets the buffer of the current run. */
  follow(buffer: EventBuffer): void {
    for (const table of TABLE_NAMES) this.#before.set(table, this.of(table));
    this.#current = buffer;
  }

  of(table: TableName): number {
    return (this.#before.get(table) ?? 0) + (this.#current?.dropped[table] ?? 0);
  }
}
