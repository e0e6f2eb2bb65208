/**
 * An edge without a chain, with the protocol of real ones: it acknowledges, is ready at once, and then
 * reports its progress and pushes a batch of telemetry on request.
 */
import type { EdgePhase, HiveClient } from '../../libs/load/protocol/src/index.ts';
import { builtLibrary } from '../targets/built-library.ts';
import { BATCH_ROWS } from './error-rows.ts';

const { HiveClient: Client } = await builtLibrary('load/protocol');
const { encodeTables, TableBuilder } = await builtLibrary('load/telemetry');

const IDENTITY = { version: '0.1.0', hostname: 'bench', labels: {}, workers: 1, cores: 1 };
const NO_COUNTS = {
  planned: 0,
  sent: 0,
  notSent: 0,
  acked: 0,
  included: 0,
  rejected: 0,
  unknown: 0,
  inFlight: 0,
  failedUnexpected: 0,
  feedMessages: 0,
  correlationMisses: 0,
  eventsDropped: 0,
  rejectedUnexpected: 0,
  reverted: 0,
  includedAfterError: 0,
  expectUnmet: 0,
  ackedLost: 0,
  ackedUndecided: 0,
  feedGaps: 0,
  feedDuplicates: 0,
  feedReorganisations: 0,
  feedDisconnects: 0,
  feedGarbage: 0,
  edgeStarved: 0,
};

export class FakeEdge {
  readonly client: HiveClient;
  /** Resolves when the hive has accepted its first connection. */
  readonly connected: Promise<unknown>;
  /** Time of the last start received, and how long before the start it arrived, in ms. */
  start: { readonly heardMs: number; readonly aheadMs: number } | undefined;
  runId = '';
  disconnections = 0;
  #batches = 0;
  #phase: EdgePhase = 'prepared';

  constructor(edgeId: string, address: string) {
    const connected = Promise.withResolvers<undefined>();
    this.connected = connected.promise;
    this.client = new Client({
      address,
      identity: { edgeId, instanceId: '1', ...IDENTITY },
      heartbeat: () => ({
        rpc: { chainId: 412_346, isOk: true },
        feed: { isConnected: true, lastSequence: 1 },
        currentRunId: this.runId,
        samples: [{ name: 'plexus_correlation_misses', labels: {}, value: 0 }],
      }),
      orders: {
        prepare: (order) => {
          if (order.runId !== this.runId) this.#begin(order.runId);
          this.client.ack(order);
        },
        makeReady: () => this.report('ready'),
        start: (_runId, startAtUs) => {
          this.start ??= { heardMs: performance.now(), aheadMs: startAtUs / 1_000 - Date.now() };
          this.report('running');
        },
        changeRate: () => undefined,
        stop: () => void this.#end(),
      },
      link: {
        connected: () => connected.resolve(undefined),
        disconnected: () => {
          this.disconnections++;
        },
        evicted: () => undefined,
        batchesRefused: () => undefined,
      },
    });
    this.client.open();
  }

  /** Batches pushed in this run. */
  get batches(): number {
    return this.#batches;
  }

  get isRunning(): boolean {
    return this.#phase === 'running';
  }

  report(phase: EdgePhase): void {
    this.#phase = phase;
    const counts = { tally: NO_COUNTS, measured: NO_COUNTS };
    this.client.progress({ runId: this.runId, phase, reason: '', ...counts, histograms: {} });
  }

  /** Sends its progress, and one batch. */
  beat(): void {
    this.report(this.#phase);
    this.push();
  }

  push(): void {
    if (!this.client.hasRoom) return;
    const tables = batchOf(this.#batches++);
    this.client.pushTelemetry({ runId: this.runId, eventCount: BATCH_ROWS, tables });
  }

  #begin(runId: string): void {
    this.runId = runId;
    this.start = undefined;
    this.#batches = 0;
    this.#phase = 'prepared';
  }

  async #end(): Promise<void> {
    const { runId } = this;
    if (this.#phase === 'done') return;
    this.#phase = 'settling';
    await this.client.flushed(runId);
    if (runId === this.runId) this.report('done');
  }
}

function batchOf(batch: number): Uint8Array {
  const rows = new TableBuilder('errors');
  for (let row = 0; row < BATCH_ROWS; row++) {
    rows.append({
      at_us: batch * BATCH_ROWS + row,
      class: 'rpc_timeout',
      expected: true,
      code: null,
      message: '',
      count: 1,
      sample_hash: null,
    });
  }
  return encodeTables([rows.batch()]);
}
