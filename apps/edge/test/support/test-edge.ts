import { EDGE_SHAPE, EdgeAgent } from '#load/worker';
import { readDocument } from '#platform/config';
import { createLogger } from '#platform/observability';

/** An edge in this process, as `plexus-edge` runs it. */
export class TestEdge {
  readonly agent: EdgeAgent;

  constructor(address: string, environment: Readonly<Record<string, string>> = {}, hiveSilentMsMax?: number) {
    const document = {
      edge_id: 'edge-1',
      hive: { address },
      labels: { zone: 'a' },
      telemetry: { flush_ms: 20 },
    };
    this.agent = new EdgeAgent({
      config: readDocument(EDGE_SHAPE, document, 'edge.toml'),
      tls: undefined,
      environment,
      logger: createLogger({ format: 'json', level: 'silent' }),
      ...(hiveSilentMsMax !== undefined && { hiveSilentMsMax }),
    });
    this.agent.open();
  }

  /** The series of a metric by labels. */
  async series(name: string): Promise<Readonly<Record<string, number>>> {
    const metric = await this.agent.metrics.getSingleMetric(name)?.get();
    const entries = (metric?.values ?? []).map(({ labels, value }) => [Object.values(labels).join(), value]);
    return Object.fromEntries(entries) as Record<string, number>;
  }
}
