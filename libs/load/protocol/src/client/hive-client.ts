import { DomainError } from '#platform/foundation';
import { assertUsable } from '#platform/grpc';
import type { EdgeProgress } from '../wire/edge-progress.ts';
import type { NackCode, PrepareOrder } from '../wire/edge-registration.ts';
import type {
  BatchAckWire,
  ClockProbeWire,
  HiveMessageWire,
  ProgressWire,
  TelemetryReplyWire,
} from '../generated/hive-messages.ts';
import { answerProbe, ClockProbing, isQuestion, systemNowUs } from '../wire/clock-probing.ts';
import { heartbeatToWire } from '../wire/edge-wire.ts';
import { codeInFailure } from '../wire/grpc-failure.ts';
import { BatchWindow } from './batch-window.ts';
import { Backoff, HiveConnection } from './hive-connection.ts';
import type { BatchTally, HiveClientOptions, HiveUplink, TelemetryBatch } from './hive-link.ts';

/** Promises that resolve when a condition becomes true. */
class Waiters {
  readonly #waiting = new Set<() => void>();

  /** Resolves when the condition is true, at once if it already is. */
  until(isTrue: () => boolean): Promise<void> {
    if (isTrue()) return Promise.resolve();
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isTrue()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
    });
  }

  /** Evaluates all conditions again after a possible change. */
  look(): void {
    for (const look of [...this.#waiting]) look();
  }
}

/** Number of runs whose latest progress is repeated on a new connection. */
const RUNS_KEPT = 4;
const HELD_BYTES_MAX = 64 * 1024 * 1024;

type LinkPhase = 'new' | 'open' | 'evicted' | 'closed';

/**
 * An edge's uplink over gRPC. Throws CERTIFICATE_INVALID if the edge's own certificate is invalid.
 *
 * 1. One connection at a time: register, send hello on both streams, repeat the latest progress, send the
 *    held batches. When the connection fails, reconnect after a pause.
 * 2. A batch is held until it is answered. On a new connection it is sent again with the same number.
 * 3. Eviction is final.
 */
export class HiveClient implements HiveUplink {
  readonly #options: HiveClientOptions;
  readonly #nowUs: () => number;
  readonly #window: BatchWindow;
  readonly #backoff = new Backoff();
  readonly #waiters = new Waiters();
  /** The latest progress by run, repeated when the hive is back. */
  readonly #progress = new Map<string, EdgeProgress>();
  #probing: ClockProbing;
  #phase: LinkPhase = 'new';
  #connection: HiveConnection | undefined;
  #isConnected = false;
  #clockOffsetUs = 0;
  #heardAtMs = 0;
  #endPause: (() => void) | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: HiveClientOptions) {
    if (options.tls !== undefined) assertUsable(options.tls, Date.now());
    this.#options = options;
    this.#nowUs = options.nowUs ?? systemNowUs;
    this.#probing = new ClockProbing(this.#nowUs);
    this.#window = new BatchWindow(options.heldBytesMax ?? HELD_BYTES_MAX);
  }

  open(): void {
    if (this.#phase !== 'new') return;
    this.#phase = 'open';
    this.#heardAtMs = performance.now();
    this.#running = this.#run();
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  get silentMs(): number {
    return performance.now() - this.#heardAtMs;
  }

  get clockOffsetUs(): number {
    return this.#clockOffsetUs;
  }

  ack({ runId, revision }: PrepareOrder): void {
    const { instanceId } = this.#options.identity;
    this.#connection?.say({ ack: { runId, instanceId, revision } });
  }

  nack({ runId, revision }: PrepareOrder, code: NackCode, reason: string): void {
    const { instanceId } = this.#options.identity;
    this.#connection?.say({ nack: { runId, instanceId, revision, code, reason } });
  }

  progress(progress: EdgeProgress): void {
    this.#progress.delete(progress.runId);
    this.#progress.set(progress.runId, progress);
    for (const runId of [...this.#progress.keys()].slice(0, -RUNS_KEPT)) this.#progress.delete(runId);
    if (this.#isConnected) this.#connection?.say({ progress: this.#progressWire(progress) });
  }

  get hasRoom(): boolean {
    return this.#window.hasRoom;
  }

  room(): Promise<void> {
    return this.#waiters.until(() => this.hasRoom || this.#isEnded);
  }

  pushTelemetry(batch: TelemetryBatch): void {
    this.#window.add(batch);
    this.#pushHeld();
  }

  batchTally(runId: string): BatchTally {
    return this.#window.tallyOf(runId);
  }

  async flushed(runId: string): Promise<void> {
    await this.#waiters.until(() => this.#window.isFlushed(runId) || this.#isEnded);
    if (this.#window.isFlushed(runId)) return;
    throw new DomainError('STORE_UNAVAILABLE', 'the uplink ended before the hive had all telemetry');
  }

  async close({ isLeaving }: { readonly isLeaving: boolean }): Promise<void> {
    const wasConnected = this.#isConnected;
    if (this.#phase !== 'evicted') this.#phase = 'closed';
    this.#endPause?.();
    const connection = this.#connection;
    // Without a deregistration the hive waits for the edge until the edge is deleted there.
    if (isLeaving && wasConnected) await connection?.deregister().catch(() => undefined);
    await connection?.end();
    await this.#running;
    this.#waiters.look();
  }

  get #isEnded(): boolean {
    return this.#phase === 'closed' || this.#phase === 'evicted';
  }

  async #run(): Promise<void> {
    while (!this.#isEnded) {
      const cause = await this.#connect();
      this.#isConnected = false;
      this.#connection = undefined;
      await this.#afterwards(cause);
    }
    this.#waiters.look();
  }

  async #afterwards(cause: Error | undefined): Promise<void> {
    if (codeInFailure(cause) === 'EDGE_EVICTED') this.#evict(cause?.message ?? '');
    if (this.#isEnded) return;
    this.#options.link.disconnected(reasonOf(cause));
    await this.#pause(this.#backoff.next());
  }

  /** Runs one connection. Resolves with the reason for its end. */
  async #connect(): Promise<Error | undefined> {
    const { identity } = this.#options;
    const connection = new HiveConnection(this.#options);
    this.#connection = connection;
    this.#window.restart();
    this.#probing = new ClockProbing(this.#nowUs);
    let beat: NodeJS.Timeout | undefined;
    try {
      const { heartbeatIntervalMs } = await connection.open(identity, {
        heard: (message) => this.#heard(message),
        heardOfTelemetry: (reply) => this.#heardOfTelemetry(reply),
      });
      if (this.#isEnded) connection.drop(undefined);
      beat = setInterval(() => this.#beat(), Math.max(100, heartbeatIntervalMs));
      return await connection.over;
    } catch (error) {
      connection.drop(undefined);
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      clearInterval(beat);
    }
  }

  /** The hive's first message on the control stream confirms the hello. */
  #connected(): void {
    this.#isConnected = true;
    this.#backoff.reset();
    this.#options.link.connected();
    this.#beat();
    for (const progress of this.#progress.values()) {
      this.#connection?.say({ progress: this.#progressWire(progress) });
    }
  }

  #beat(): void {
    this.#connection?.say({ heartbeat: heartbeatToWire(this.#options.heartbeat()) });
    this.#connection?.say({ clockProbe: this.#probing.ask() });
  }

  #heard(message: HiveMessageWire): void {
    if (this.#isEnded) return;
    this.#heardAtMs = performance.now();
    if (!this.#isConnected) this.#connected();
    const { evict, clockProbe } = message;
    if (clockProbe !== undefined) this.#onProbe(clockProbe);
    else if (evict !== undefined) this.#evict(evict.reason);
    else this.#onOrder(message);
  }

  #onOrder({ prepare, makeReady, start, changeRate, stop }: HiveMessageWire): void {
    const { orders } = this.#options;
    if (prepare !== undefined) orders.prepare(prepare);
    if (makeReady !== undefined) orders.makeReady(makeReady.runId, makeReady.setupJson);
    if (start !== undefined) orders.start(start.runId, start.startAtUs - this.#clockOffsetUs);
    if (changeRate !== undefined) orders.changeRate(changeRate);
    if (stop !== undefined) orders.stop(stop.runId, stop.abort, stop.reason);
  }

  #onProbe(probe: ClockProbeWire): void {
    if (isQuestion(probe)) {
      this.#connection?.say({ clockProbe: answerProbe(probe, this.#nowUs) });
      return;
    }
    const best = this.#probing.accept(probe);
    if (best !== undefined) this.#clockOffsetUs = best.offsetUs;
  }

  #evict(reason: string): void {
    if (this.#isEnded) return;
    this.#phase = 'evicted';
    this.#connection?.drop(undefined);
    this.#options.link.evicted(reason);
    this.#waiters.look();
  }

  #heardOfTelemetry({ ack, credit }: TelemetryReplyWire): void {
    this.#heardAtMs = performance.now();
    if (credit !== undefined) this.#window.allow(credit.batches);
    if (ack !== undefined) this.#answered(ack);
    this.#pushHeld();
    this.#waiters.look();
  }

  #answered({ runId, seq, refused }: BatchAckWire): void {
    if (refused === '') {
      this.#window.acknowledge(runId, seq);
      return;
    }
    const events = this.#window.refuse(runId, seq);
    this.#options.link.batchesRefused(runId, refused, events);
  }

  #pushHeld(): void {
    for (let batch = this.#window.next(); batch !== undefined; batch = this.#window.next()) {
      this.#connection?.push({ batch });
    }
  }

  #progressWire(progress: EdgeProgress): ProgressWire {
    const { sent, acked } = this.#window.tallyOf(progress.runId);
    return { ...progress, rates: [...(progress.rates ?? [])], batchesSent: sent, batchesAcked: acked };
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function reasonOf(cause: Error | undefined): string {
  return cause === undefined ? 'the connection ended' : cause.message;
}
