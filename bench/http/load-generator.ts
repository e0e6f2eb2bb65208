/** The load generator: several connections, each with one request at a time. */
import { Connection } from './connection.ts';
import { serveParent } from '../harness/child-process.ts';
import { percentile } from '../harness/stopwatch.ts';

export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly leastMs: number;
  /** JSON bodies, sent in turn. */
  readonly bodies: readonly string[];
}

export interface LoadFigures {
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
  readonly bytesPerReply: number;
}

export type LoadProtocol = { readonly load: readonly [Load, LoadFigures] };

serveParent<LoadProtocol>({ load: run });

/** Ends when every request sent in time has been answered, so that slow replies count fully. */
async function run({ port, connections, leastMs, bodies }: Load): Promise<LoadFigures> {
  const requests = bodies.map((body) => requestOf(body, port));
  const times: number[] = [];
  let sent = 0;
  let bytes = 0;
  const start = performance.now();
  const keepAsking = async (): Promise<void> => {
    const connection = new Connection(port);
    while (performance.now() - start < leastMs) {
      const sentAt = performance.now();
      const replyBytes = await connection.ask(requests[sent++ % requests.length] ?? Buffer.alloc(0));
      bytes += replyBytes;
      times.push(performance.now() - sentAt);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, keepAsking));
  return figuresOf(times, bytes, performance.now() - start);
}

function figuresOf(times: readonly number[], bytes: number, elapsedMs: number): LoadFigures {
  return {
    requestsPerSecond: (times.length * 1_000) / elapsedMs,
    p99Ms: percentile(Float64Array.from(times).sort(), 0.99),
    bytesPerReply: bytes / times.length,
  };
}

function requestOf(body: string, port: number): Buffer {
  const head = [
    'POST /v1/query HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    'Accept: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}
