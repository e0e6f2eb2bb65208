import type { EdgeProgress, HiveUplink, PrepareOrder } from '#load/protocol';
import type { EventBuffer } from '#load/telemetry';
import type { Log } from '#platform/observability';
import type { LoadRun, RunPhase } from '../run/load-run.ts';

interface TelemetryPumpOptions {
  readonly runId: string;
  readonly events: EventBuffer;
  readonly hive: HiveUplink;
  readonly flushMs: number;
}

/**
 * Hands the events of a run to the hive, every few milliseconds. While the hive takes no more they stay in
 * the buffer, which drops what it cannot hold; sending is never held up.
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

  /** Resolves when the hive has answered for every event. Rejects when the uplink ends before. */
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
const TELL_MS_MAX = 1_000;
/** A failed run keeps what it has measured, if the hive takes it soon. */
const FAILED_FLUSH_MS = 5_000;

/**
 * A run as the hive sees it: says how far it is, at least once a second, and hands over what it measures. It
 * is done when the hive has all of it.
 */
export class HiveRun {
  readonly order: PrepareOrder;
  readonly load: LoadRun;
  readonly #hive: HiveUplink;
  readonly #log: Log;
  readonly #pump: TelemetryPump;
  readonly #over = Promise.withResolvers<undefined>();
  #timer: NodeJS.Timeout | undefined;
  #told: { readonly phase: RunPhase; readonly atMs: number } | undefined;
  #isStarted = false;
  #isFlushed = false;

  constructor({ order, load, hive, events, flushMs, log }: HiveRunOptions) {
    this.order = order;
    this.load = load;
    this.#hive = hive;
    this.#log = log;
    this.#pump = new TelemetryPump({ runId: order.runId, events, hive, flushMs });
  }

  /** Settled transactions may have to be told: `done` only when the hive has them. */
  get phase(): RunPhase {
    const { phase } = this.load;
    return phase === 'done' && !this.#isFlushed ? 'settling' : phase;
  }

  get isOver(): boolean {
    return this.#isFlushed;
  }

  /** Resolves when nothing more comes of it. */
  get over(): Promise<unknown> {
    return this.#over.promise;
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Tells of it from now on. */
  async makeReady(): Promise<void> {
    if (this.#timer !== undefined) {
      this.tell();
      return;
    }
    this.#timer = setInterval(() => {
      this.#tellWhenDue();
    }, LOOK_MS);
    try {
      await this.load.makeReady();
    } catch (error) {
      this.load.fail(error instanceof Error ? error.message : String(error));
      await this.#end();
    }
    this.tell();
  }

  /** Once; later calls do nothing. */
  async start(startAtUs: number): Promise<void> {
    if (this.#isStarted || this.load.phase !== 'ready') return;
    this.#isStarted = true;
    await this.load.run(startAtUs);
    await this.#end();
  }

  /** One that has not begun ends at once. */
  async stop(isAbort: boolean, reason: string): Promise<void> {
    this.load.stop(isAbort, reason);
    if (this.#isStarted) return;
    this.load.fail(`stopped before it began: ${reason}`);
    await this.#end();
  }

  /** Nobody wants to hear of it any more. */
  async discard(): Promise<void> {
    this.load.stop(true, 'replaced by another plan');
    this.#close();
    await this.load.close();
  }

  /** Now, whether it is due or not. */
  tell(): void {
    const { tally, measured, histograms, reason } = this.load.progress();
    const { phase } = this;
    const progress: EdgeProgress = { runId: this.order.runId, phase, reason, tally, measured, histograms };
    this.#told = { phase, atMs: performance.now() };
    this.#hive.progress(progress);
  }

  /** A failure is told when its telemetry is on its way: a hive that knows of it takes no more. */
  #tellWhenDue(): void {
    if (this.phase === 'failed' && !this.#isFlushed) return;
    const isNew = this.#told?.phase !== this.phase;
    if (isNew || performance.now() - (this.#told?.atMs ?? 0) >= TELL_MS_MAX) this.tell();
  }

  async #end(): Promise<void> {
    await this.load.close();
    try {
      await (this.load.phase === 'failed' ? this.#flushSoon() : this.#pump.flush());
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#log.warn({ event: 'run.unflushed', reason }, 'the hive has not taken all that was measured');
    }
    this.#isFlushed = true;
    this.tell();
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
