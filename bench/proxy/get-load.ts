/** The load generator: a browser-like GET with 12 headers, over several keep-alive connections. */
import { serveParent } from '../harness/child-process.ts';
import { percentile } from '../harness/stopwatch.ts';
import { Connection } from '../http/connection.ts';

export interface GetLoad {
  readonly port: number;
  readonly connections: number;
  readonly leastMs: number;
  readonly leastRequests?: number;
  readonly path: string;
}

export interface GetFigures {
  readonly requests: number;
  readonly elapsedMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export type GetLoadProtocol = {
  readonly load: readonly [GetLoad, GetFigures];
  /** Opens connections, sends one request on each, and keeps them. */
  readonly hold: readonly [{ readonly port: number; readonly connections: number }, null];
  readonly release: readonly [null, null];
};

const held: Connection[] = [];

serveParent<GetLoadProtocol>({ load: run, hold, release });

async function run({ port, connections, leastMs, leastRequests = 0, path }: GetLoad): Promise<GetFigures> {
  const request = requestOf(path);
  const times: number[] = [];
  const start = performance.now();
  const keepAsking = async (): Promise<void> => {
    const connection = new Connection(port);
    while (performance.now() - start < leastMs || times.length < leastRequests) {
      const sentAt = performance.now();
      await connection.ask(request);
      times.push(performance.now() - sentAt);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, keepAsking));
  const ascending = Float64Array.from(times).sort();
  return {
    requests: times.length,
    elapsedMs: performance.now() - start,
    p50Ms: percentile(ascending, 0.5),
    p99Ms: percentile(ascending, 0.99),
  };
}

async function hold({ port, connections }: { port: number; connections: number }): Promise<null> {
  for (let opened = 0; opened < connections; opened++) {
    const connection = new Connection(port);
    held.push(connection);
    await connection.ask(requestOf('/'));
  }
  return null;
}

function release(): null {
  for (const connection of held.splice(0)) connection.close();
  return null;
}

function requestOf(path: string): Buffer {
  const head = [
    `GET ${path} HTTP/1.1`,
    'Host: shop.example.com',
    'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0 Safari/537.36',
    'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
    'Accept-Encoding: gzip, deflate, br, zstd',
    'Accept-Language: en-GB,en;q=0.9,de;q=0.8',
    'Cache-Control: max-age=0',
    'Connection: keep-alive',
    'Cookie: session=0123456789abcdef0123456789abcdef; theme=dark',
    'Referer: https://shop.example.com/catalogue',
    'Sec-Fetch-Dest: document',
    'Sec-Fetch-Mode: navigate',
    'Upgrade-Insecure-Requests: 1',
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n`);
}
