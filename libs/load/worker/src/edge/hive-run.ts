import type { EdgeProgress, HiveUplink, PrepareOrder, RateOrder } from '#load/protocol';
import type { EventBuffer } from '#load/telemetry';
import type { Log } from '#platform/observability';
import { parseContractSetup } from '../plan/contract-setup.ts';
import type { LoadRun, RunPhase } from '../run/load-run.ts';

interface TelemetryPumpOptions {
  readonly runId: string;
  readonly events: EventBuffer;
  readonly hive: HiveUplink;
  readonly flushMs: number;
}

/**
 * Sends the events of a run to the hive every few milliseconds. While the hive accepts none they stay in the
 * buffer, which drops events when it is full; the load is never delayed.
 */
class TelemetryPump {
  readonly #options: TelemetryPumpOptions;
  readonly #timer: NodeJS.Timeout;

  constructor(options: TelemetryPumpOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#push();
    }, options.flushMs);
  }

  /** Resolves when the hive has answered for every event. Rejects if the uplink ends earlier. */
  async flush(): Promise<void> {
    const { hive, events, runId } = this.#options;
    while (events.eventCount > 0) {
      await hive.room();
      if (!hive.hasRoom) break;
      this.#push();
    }
    await hive.flushed(runId);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #push(): void {
    const { hive, events, runId } = this.#options;
    while (hive.hasRoom) {
      const batch = events.takeBatch();
      if (batch === undefined) return;
      hive.pushTelemetry({ runId, eventCount: batch.eventCount, tables: batch.bytes });
    }
  }
}

interface HiveRunOptions {
  readonly order: PrepareOrder;
  readonly load: LoadRun;
  readonly hive: HiveUplink;
  readonly events: EventBuffer;
  readonly flushMs: number;
  readonly log: Log;
}

const LOOK_MS = 200;
const REPORT_INTERVAL_MS = 1_000;
/** Maximum time for the delivery of a failed run's telemetry. */
const FAILED_FLUSH_MS = 5_000;

/**
 * A run as the hive sees it: reports its progress at least once a second, and delivers its telemetry. It is
 * done when the hive has received all of it.
 */
export class HiveRun {
  readonly order: PrepareOrder;
  readonly load: LoadRun;
  readonly #hive: HiveUplink;
  readonly #log: Log;
  readonly #pump: TelemetryPump;
  readonly #over = Promise.withResolvers<undefined>();
  #timer: NodeJS.Timeout | undefined;
  #lastReport: { readonly phase: RunPhase; readonly atMs: number } | undefined;
  #isStarted = false;
  #isFlushed = false;

  constructor({ order, load, hive, events, flushMs, log }: HiveRunOptions) {
    this.order = order;
    this.load = load;
    this.#hive = hive;
    this.#log = log;
    this.#pump = new TelemetryPump({ runId: order.runId, events, hive, flushMs });
  }

  /** `done` only after the delivery of all telemetry; `settling` until then. */
  get phase(): RunPhase {
    const { phase } = this.load;
    return phase === 'done' && !this.#isFlushed ? 'settling' : phase;
  }

  get isOver(): boolean {
    return this.#isFlushed;
  }

  /** Resolves when the run has ended, and its telemetry is delivered or given up. */
  get over(): Promise<unknown> {
    return this.#over.promise;
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Prepares the load, and starts to report progress. */
  async makeReady(setupJson: string): Promise<void> {
    if (this.#timer !== undefined) {
      this.reportProgress();
      return;
    }
    this.#timer = setInterval(() => {
      this.#reportWhenDue();
    }, LOOK_MS);
    try {
      await this.load.makeReady(parseContractSetup(setupJson));
    } catch (error) {
      this.load.fail(error instanceof Error ? error.message : String(error));
      await this.#end();
    }
    this.reportProgress();
  }

  /** Runs the load; repeated calls have no effect. */
  async start(startAtUs: number): Promise<void> {
    if (this.#isStarted || this.load.phase !== 'ready') return;
    this.#isStarted = true;
    await this.load.run(startAtUs);
    await this.#end();
  }

  changeRate(order: RateOrder): void {
    this.load.changeRate(order);
    if (this.#isStarted) this.reportProgress();
  }

  /** A run that has not started ends at once. */
  async stop(isAbort: boolean, reason: string): Promise<void> {
    this.load.stop(isAbort, reason);
    if (this.#isStarted) return;
    this.load.fail(`stopped before it began: ${reason}`);
    await this.#end();
  }

  /** Aborts the run without further reports. */
  async discard(): Promise<void> {
    this.load.stop(true, 'replaced by another plan');
    this.#close();
    await this.load.close();
  }

  /** Reports the progress at once. */
  reportProgress(): void {
    const { phase } = this;
    const progress: EdgeProgress = { ...this.load.progress(), runId: this.order.runId, phase };
    this.#lastReport = { phase, atMs: performance.now() };
    this.#hive.progress(progress);
  }

  /** A failure is reported after its telemetry is sent: the hive accepts none after the report. */
  #reportWhenDue(): void {
    if (this.phase === 'failed' && !this.#isFlushed) return;
    const isNew = this.#lastReport?.phase !== this.phase;
    if (isNew || performance.now() - (this.#lastReport?.atMs ?? 0) >= REPORT_INTERVAL_MS)
      this.reportProgress();
  }

  async #end(): Promise<void> {
    await this.load.close();
    try {
      await (this.load.phase === 'failed' ? this.#flushSoon() : this.#pump.flush());
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#log.warn({ event: 'run.unflushed', reason }, 'telemetry not delivered completely');
    }
    this.#isFlushed = true;
    this.reportProgress();
    this.#close();
  }

  async #flushSoon(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FAILED_FLUSH_MS);
    });
    await Promise.race([this.#pump.flush(), late]);
    clearTimeout(timer);
  }

  #close(): void {
    clearInterval(this.#timer);
    this.#pump.close();
    this.#over.resolve(undefined);
  }
}
