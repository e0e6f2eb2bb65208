import {
  type EdgePhase,
  HiveClient,
  type HiveClientOptions,
  type NackCode,
  type PrepareOrder,
  type RateApplied,
  type Tally,
  ZERO_TALLY,
} from '#load/protocol';
import { EventBuffer, type RowOf, type TableName } from '#load/telemetry';
import { type EdgePlan, parseEdgePlan } from '#load/worker';

export interface TestEdgeOptions extends Partial<HiveClientOptions> {
  readonly address: string;
  readonly instanceId?: string;
  /** Returns the reason to reject an order; by default, all orders are accepted. */
  readonly refusal?: (
    order: PrepareOrder,
  ) => { readonly code: NackCode; readonly reason: string } | undefined;
}

/**
 * An edge without a chain: acknowledges, reports ready, and runs until the test reports further progress. It
 * uses the real protocol client.
 */
export class TestEdge {
  readonly edgeId: string;
  readonly client: HiveClient;
  readonly lines: string[] = [];
  plan: EdgePlan | undefined;
  isReadyAtOnce = true;
  /** As an edge of a version that does not know the order. */
  ignoresRates = false;
  readonly #buffer = new EventBuffer();
  readonly #waiting = new Set<() => void>();
  readonly #rates: RateApplied[] = [];
  #tally: Tally = ZERO_TALLY;
  #histograms: Readonly<Record<string, Uint8Array>> = {};

  constructor(edgeId: string, { instanceId = '1', refusal, ...options }: TestEdgeOptions) {
    this.edgeId = edgeId;
    const identity = { version: '0.1.0', hostname: 'h', labels: { zone: 'a' }, workers: 1, cores: 2 };
    this.client = new HiveClient({
      identity: { edgeId, instanceId, ...identity },
      heartbeat: () => ({
        rpc: { chainId: 412_346, isOk: true },
        feed: { isConnected: true, lastSequence: 7 },
        currentRunId: this.plan?.runId ?? '',
        samples: [
          { name: 'plexus_correlation_misses', labels: {}, value: 3 },
          { name: 'plexus_tx_failed_total', labels: { class: 'duplicate', expected: 'false' }, value: 2 },
          { name: 'evil_total', labels: {}, value: 1 },
        ],
      }),
      orders: {
        prepare: (order) => {
          this.plan = parseEdgePlan(order.planJson);
          this.#record(`prepare ${order.revision}`);
          const refused = refusal?.(order);
          if (refused === undefined) this.client.ack(order);
          else this.client.nack(order, refused.code, refused.reason);
        },
        makeReady: () => {
          this.#record('make ready');
          if (this.isReadyAtOnce) this.progress('ready');
        },
        start: () => {
          this.#record('start');
          this.progress('running');
        },
        changeRate: ({ number, atMs, rate }) => {
          this.#record(`rate ${number}: ${rate}`);
          if (this.ignoresRates) return;
          if (this.#rates.every((known) => known.number !== number)) this.#rates.push({ number, atMs });
          this.progress('running');
        },
        stop: (_runId, isAbort) => this.#record(isAbort ? 'abort' : 'drain'),
      },
      link: {
        connected: () => this.#record('connected'),
        disconnected: () => this.#record('disconnected'),
        evicted: () => this.#record('evicted'),
        batchesRefused: (_runId, code) => this.#record(`refused ${code}`),
      },
      ...options,
    });
    this.client.open();
  }

  static async connect(edgeId: string, options: TestEdgeOptions): Promise<TestEdge> {
    const edge = new TestEdge(edgeId, options);
    await edge.has('connected');
    return edge;
  }

  /** Resolves when the line has been recorded `times` times. */
  has(line: string, times = 1): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.lines.filter((told) => told === line).length < times) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  progress(phase: EdgePhase, tally: Partial<Tally> = {}, histograms = this.#histograms): void {
    this.#tally = { ...this.#tally, ...tally };
    this.#histograms = histograms;
    const runId = this.plan?.runId ?? '';
    const counts = { tally: this.#tally, measured: this.#tally };
    this.client.progress({ runId, phase, reason: 'said so', ...counts, histograms, rates: this.#rates });
  }

  record<T extends TableName>(table: T, row: RowOf<T>): void {
    this.#buffer.record(table, row);
  }

  /** Sends the recorded rows; resolves when the hive has acknowledged them. */
  async flush(runId = this.plan?.runId ?? ''): Promise<void> {
    for (let batch = this.#buffer.takeBatch(); batch !== undefined; batch = this.#buffer.takeBatch()) {
      this.client.pushTelemetry({ runId, eventCount: batch.eventCount, tables: batch.bytes });
    }
    await this.client.flushed(runId);
  }

  /** Disconnects without deregistering, like a killed process. */
  crash(): Promise<void> {
    return this.client.close({ isLeaving: false });
  }

  leave(): Promise<void> {
    return this.client.close({ isLeaving: true });
  }

  #record(line: string): void {
    this.lines.push(line);
    for (const look of [...this.#waiting]) look();
  }
}
