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

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

const FAILED = 2;

/** A real OTLP/HTTP receiver for JSON, which answers as configured by a test. */
export class OtlpCollector {
  readonly story = new Story<CollectedSpan>();
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
        for (const span of spansOf(JSON.parse(text) as OtlpBody)) this.story.record(span);
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

function spansOf({ resourceSpans }: OtlpBody): readonly CollectedSpan[] {
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
