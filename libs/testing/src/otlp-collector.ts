import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Story } from './story.ts';

/** A span as received by a collector. */
export interface CollectedSpan {
  readonly name: string;
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the root of its trace. */
  readonly parentSpanId: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly isFailed: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A data point of a metric as received by a collector; a histogram's value is its count. */
export interface CollectedPoint {
  readonly name: string;
  readonly service: string;
  readonly kind: 'sum' | 'gauge' | 'histogram';
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly value: number;
  /** Counts between the bounds, of histograms. */
  readonly buckets?: readonly { readonly upTo: number; readonly count: number }[];
}

interface OtlpPoint {
  readonly attributes: readonly OtlpAttribute[];
  readonly asDouble?: number;
  readonly asInt?: string;
  readonly count?: string;
  readonly bucketCounts?: readonly string[];
  readonly explicitBounds?: readonly number[];
}

type OtlpData = { readonly dataPoints: readonly OtlpPoint[] };

type OtlpMetric = { readonly name: string } & {
  readonly [Kind in CollectedPoint['kind']]?: OtlpData;
};

interface OtlpMetricsBody {
  readonly resourceMetrics?: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[];
  }[];
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly status?: { readonly code?: number };
  readonly attributes: readonly OtlpAttribute[];
}

interface OtlpBody extends OtlpMetricsBody {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

const FAILED = 2;

/** A real OTLP/HTTP receiver for JSON, which answers as configured by a test. */
export class OtlpCollector {
  readonly story = new Story<CollectedSpan>();
  /** Each export of metrics, as received. */
  readonly exports = new Story<readonly CollectedPoint[]>();
  readonly requests: {
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly text: string;
  }[] = [];
  answer: (reply: ServerResponse) => void = (reply) =>
    reply.setHeader('Content-Type', 'application/json').end('{}');
  readonly #server: Server;
  #connections = 0;

  static async start(): Promise<OtlpCollector> {
    const collector = new OtlpCollector();
    collector.#server.listen(0, '127.0.0.1');
    await once(collector.#server, 'listening');
    return collector;
  }

  private constructor() {
    this.#server = createServer((request, reply) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        this.requests.push({ path: request.url ?? '', headers: request.headers, text });
        const body = JSON.parse(text) as OtlpBody;
        for (const span of spansOf(body)) this.story.record(span);
        if (body.resourceMetrics !== undefined) this.exports.record(pointsOf(body));
        this.answer(reply);
      });
    }).on('connection', () => (this.#connections += 1));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Environment variables that select it, with a short delay. */
  get environment(): Readonly<Record<string, string>> {
    return { OTEL_EXPORTER_OTLP_ENDPOINT: this.url, OTEL_BSP_SCHEDULE_DELAY: '20' };
  }

  /** Total number of connections. */
  get connections(): number {
    return this.#connections;
  }

  get spans(): readonly CollectedSpan[] {
    return this.story.entries;
  }

  /** Everything received, unparsed. */
  get text(): string {
    return this.requests.map(({ text }) => text).join('\n');
  }

  /** Resolves with the latest span of that name, as soon as there are `count`. */
  named(name: string, count = 1): Promise<CollectedSpan> {
    return this.story.until((span) => span.name === name, count);
  }

  /** Span names of a trace as a tree, in the order of their start. */
  treeOf(traceId: string): readonly string[] {
    const spans = this.spans.filter((span) => span.traceId === traceId);
    const known = new Set(spans.map(({ spanId }) => spanId));
    const below = (parents: readonly CollectedSpan[], depth: number): string[] =>
      parents.flatMap((parent) => [
        '  '.repeat(depth) + parent.name,
        ...below(
          spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId),
          depth + 1,
        ),
      ]);
    return below(
      spans.filter(({ parentSpanId }) => !known.has(parentSpanId)),
      0,
    );
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    if (!this.#server.listening) return;
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}

const POINT_KINDS = ['sum', 'gauge', 'histogram'] as const;

function pointsOf({ resourceMetrics = [] }: OtlpMetricsBody): readonly CollectedPoint[] {
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) => {
    const service = String(attributesOf(resource.attributes)['service.name']);
    const metrics = scopeMetrics.flatMap((scope) => scope.metrics);
    return metrics.flatMap((metric) =>
      POINT_KINDS.flatMap((kind) =>
        (metric[kind]?.dataPoints ?? []).map((point) => ({
          name: metric.name,
          service,
          kind,
          ...pointOf(point),
        })),
      ),
    );
  });
}

function pointOf(point: OtlpPoint): Pick<CollectedPoint, 'attributes' | 'value' | 'buckets'> {
  const { asDouble, asInt, count, bucketCounts, explicitBounds = [] } = point;
  return {
    attributes: attributesOf(point.attributes),
    value: Number(asDouble ?? asInt ?? count),
    ...(bucketCounts !== undefined && {
      buckets: bucketCounts.map((one, at) => ({
        upTo: explicitBounds[at] ?? Infinity,
        count: Number(one),
      })),
    }),
  };
}

function spansOf({ resourceSpans = [] }: OtlpBody): readonly CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(attributesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => spanOf(span, service)));
  });
}

function spanOf(
  { name, traceId, spanId, parentSpanId = '', kind, status, attributes }: OtlpSpan,
  service: string,
) {
  const isFailed = status?.code === FAILED;
  return {
    name,
    service,
    traceId,
    spanId,
    parentSpanId,
    kind,
    isFailed,
    attributes: attributesOf(attributes),
  };
}

function attributesOf(attributes: readonly OtlpAttribute[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
