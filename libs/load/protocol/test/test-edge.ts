import { HiveClient, type HiveClientOptions, type PrepareOrder, type TelemetryBatch } from '#load/protocol';
import { Story } from './story.ts';

/** An uplink that records its orders and connections. */
export class TestEdge {
  readonly story = new Story();
  readonly client: HiveClient;
  order: PrepareOrder | undefined;
  startAtUs: number | undefined;

  constructor(edgeId: string, options: Partial<HiveClientOptions> & { readonly address: string }) {
    const tell = (line: string): void => this.story.record(line);
    this.client = new HiveClient({
      identity: {
        edgeId,
        instanceId: '1',
        version: '0.1.0',
        hostname: 'h',
        labels: { zone: 'a' },
        workers: 1,
        cores: 2,
      },
      heartbeat: () => ({
        rpc: { chainId: 412_346, isOk: true },
        feed: { isConnected: true, lastSequence: 7 },
        currentRunId: 'r',
        samples: [{ name: 'plexus_tx_failed_total', labels: { class: 'x' }, value: 3 }],
      }),
      orders: {
        prepare: (order) => {
          this.order = order;
          tell(`prepare ${order.runId} ${order.revision} ${order.planJson}`);
        },
        makeReady: (runId) => tell(`make ready ${runId}`),
        start: (runId, startAtUs) => {
          this.startAtUs = startAtUs;
          tell(`start ${runId}`);
        },
        changeRate: ({ runId, number, atMs, rate }) => tell(`rate ${runId} ${number} ${atMs} ${rate}`),
        stop: (runId, isAbort, reason) => tell(`stop ${runId} ${isAbort} ${reason}`),
      },
      link: {
        connected: () => tell('connected'),
        disconnected: (reason) => tell(`disconnected ${reason}`),
        evicted: (reason) => tell(`evicted ${reason}`),
        batchesRefused: (runId, code, events) => tell(`refused ${runId} ${code} ${events}`),
      },
      ...options,
    });
    this.client.open();
  }

  static async connect(...args: ConstructorParameters<typeof TestEdge>): Promise<TestEdge> {
    const edge = new TestEdge(...args);
    await edge.story.has('connected');
    return edge;
  }

  push(text: string, runId = 'r'): void {
    const batch: TelemetryBatch = { runId, eventCount: text.length, tables: Buffer.from(text) };
    this.client.pushTelemetry(batch);
  }

  stop(): Promise<void> {
    return this.client.close({ isLeaving: false });
  }
}
