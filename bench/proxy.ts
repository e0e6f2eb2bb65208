/**
 * The proxy tables: CPU per request, added latency and rate of every proxy with the same upstream and load;
 * TCP; the cost of idle connections; the response of the admin server under full load; losses of reloads and
 * drains; and the gain of a second worker.
 */
import { RemoteProcess } from './harness/child-process.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { median, percentile } from './harness/stopwatch.ts';
import { type Line, renderTable } from './harness/table.ts';
import { versionOf } from './harness/versions.ts';
import {
  type Contender,
  haproxyVersion,
  startHaproxy,
  startPlexus,
  startProgram,
  startUpstream,
} from './proxy/contenders.ts';
import type { GetLoadProtocol } from './proxy/get-load.ts';
import { lossesOfDrains, lossesOfReloads } from './proxy/losses.ts';
import type { ProxyProcess } from './proxy/proxy-process.ts';
import { compareWorkers } from './proxy/workers.ts';

const CONNECTIONS = 32;
const PATH = '/v1/items?page=2';
const IDLE_CONNECTIONS = 1_000;
/** A round of requests takes longer than one of calls: CPU is counted in steps of 10 ms. */
const ROUND_FACTOR = 10;
/** The first requests are not measured: the compiler uses much of their time. */
const WARM_REQUESTS = 50_000;
const ROUND_REQUESTS = 2_000;
const SCRAPE_PAUSE_MS = 20;
const SCRAPE_ROUNDS = 4;
/** Shorter rounds only show whether it works. */
const WHOLE_ROUND_MS = 100;
const MANY_TIMES = 100;
const FEW_TIMES = 5;

const options = readOptions(process.argv.slice(2));
const haproxy = haproxyVersion();
const upstream = await startUpstream();
const client = new RemoteProcess<GetLoadProtocol>(new URL('./proxy/get-load.ts', import.meta.url));
const running: Contender[] = [];

try {
  const http = await started([
    startPlexus('http', upstream.port, options.directory),
    ...(haproxy === null ? [] : [startHaproxy('http', upstream.port, options.directory)]),
    startProgram('bare', upstream.port),
    startProgram('http-proxy-3', upstream.port),
    startProgram('fastify', upstream.port),
  ]);
  const httpLines = [
    ...(await underLoad(http, [
      { against: 'haproxy', factor: 1 / 3 },
      { against: 'http-proxy-3', factor: 1 / 0.65 },
      { against: 'fastify', factor: 1 / 0.65 },
    ])),
    await addedLatency(http),
    await idleMemory(http),
  ];
  const scrapes = await scrapesUnderLoad(http[0]);
  await stopAll();
  const tcp = await started([
    startPlexus('tcp', upstream.port, options.directory),
    ...(haproxy === null ? [] : [startHaproxy('tcp', upstream.port, options.directory)]),
    startProgram('pipe', upstream.port),
  ]);
  const tcpLines = await underLoad(tcp, [{ against: 'haproxy', factor: 1 / 1.5 }]);
  await stopAll();
  const times = options.roundMs < WHOLE_ROUND_MS ? FEW_TIMES : MANY_TIMES;
  const workersTable = await compareWorkers({
    client,
    options,
    upstreamPort: upstream.port,
    load: { connections: 2 * CONNECTIONS, leastMs: options.roundMs * ROUND_FACTOR, path: PATH },
    warmRequests: WARM_REQUESTS,
  });
  const losses = [await lossesWith(times, 1), await lossesWith(times, 2)];
  const names = (contenders: readonly Contender[]) => contenders.map(({ name }) => name);
  console.log(`## HTTP through a proxy, ${CONNECTIONS} keep-alive connections, 12 request headers, 1 KiB replies

${describeMachine()}. Medians of ${options.rounds} rounds, proxies in turn; client and upstream share the machine.
haproxy ${haproxy ?? 'is not installed'}, one thread; http-proxy-3 ${versionOf('http-proxy-3')}; fastify is @fastify/http-proxy
${versionOf('@fastify/http-proxy')}; bare is node:http and undici ${versionOf('undici')} with no features.

${renderTable('plexus', names(http), httpLines)}

## TCP

pipe is node:net with no features.

${renderTable('plexus', names(tcp), tcpLines)}

GET /stats under full HTTP load: ${scrapes.count} scrapes, p50 ${scrapes.p50Ms.toFixed(1)} ms, p99 ${scrapes.p99Ms.toFixed(1)} ms (to reach: < 100 ms).

${losses.join('\n')}

## Two workers, ${2 * CONNECTIONS} connections

${workersTable}
`);
} finally {
  await stopAll();
  await upstream.stop();
  await client.end();
}

async function started(contenders: readonly Promise<Contender>[]): Promise<Contender[]> {
  // Started proxies are stopped, even when others failed to start.
  const outcomes = await Promise.allSettled(contenders);
  running.push(...outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])));
  return Promise.all(contenders);
}

async function stopAll(): Promise<void> {
  for (const { process } of running.splice(0)) await process.stop();
}

function emptyFigures(contenders: readonly Contender[]): Map<string, number[]> {
  return new Map(contenders.map(({ name }) => [name, []]));
}

/** CPU per request, rate and p99. */
async function underLoad(contenders: readonly Contender[], reach: Line['reach']): Promise<Line[]> {
  const lines = {
    cpu: { title: 'CPU a request', unit: 'ms', figures: emptyFigures(contenders), reach },
    rate: { title: 'rate', unit: '/s', figures: emptyFigures(contenders), reach: [] },
    tail: { title: 'p99', unit: 'ms', figures: emptyFigures(contenders), reach: [] },
  } as const;
  for (const { process } of contenders) {
    await client.call('load', { ...loadOf(process, CONNECTIONS), leastRequests: WARM_REQUESTS });
  }
  for (let round = 1; round <= options.rounds; round++) {
    for (const { name, process } of contenders) {
      const before = process.cpuMs;
      const load = { ...loadOf(process, CONNECTIONS), leastRequests: ROUND_REQUESTS };
      const { requests, elapsedMs, p99Ms } = await client.call('load', load);
      lines.cpu.figures.get(name)?.push((process.cpuMs - before) / requests);
      lines.rate.figures.get(name)?.push((requests * 1_000) / elapsedMs);
      lines.tail.figures.get(name)?.push(p99Ms);
    }
  }
  return [lines.cpu, lines.rate, lines.tail];
}

/** One connection: the median through the proxy minus the median without one. */
async function addedLatency(contenders: readonly Contender[]): Promise<Line> {
  const figures = emptyFigures(contenders);
  for (let round = 0; round <= options.rounds; round++) {
    const direct = await client.call('load', loadOf(upstream, 1));
    for (const { name, process } of contenders) {
      const { p50Ms } = await client.call('load', loadOf(process, 1));
      if (round > 0) figures.get(name)?.push(p50Ms - direct.p50Ms);
    }
  }
  return {
    title: 'added p50, one connection',
    unit: 'ms',
    figures,
    reach: [{ against: 'haproxy', factor: 0.5 }],
  };
}

async function idleMemory(contenders: readonly Contender[]): Promise<Line> {
  const figures = emptyFigures(contenders);
  for (const { name, process } of contenders) {
    const before = process.residentBytes;
    await client.call('hold', { port: process.port, connections: IDLE_CONNECTIONS });
    figures.get(name)?.push((process.residentBytes - before) / IDLE_CONNECTIONS);
    await client.call('release', null);
  }
  return { title: `memory of an idle connection, of ${IDLE_CONNECTIONS}`, unit: 'B', figures, reach: [] };
}

async function scrapesUnderLoad(
  contender: Contender | undefined,
): Promise<{ count: number; p50Ms: number; p99Ms: number }> {
  if (contender?.adminPort === undefined) throw new Error('expected a proxy with an admin port');
  const times: number[] = [];
  const leastMs = options.roundMs * ROUND_FACTOR * SCRAPE_ROUNDS;
  const load = client.call('load', { ...loadOf(contender.process, CONNECTIONS), leastMs });
  const end = performance.now() + leastMs;
  // The first one is discarded, as the first round is.
  for (let count = 0; performance.now() < end; count++) {
    const start = performance.now();
    const reply = await fetch(`http://127.0.0.1:${contender.adminPort}/stats`);
    await reply.text();
    if (reply.status !== 200) throw new Error(`/stats answers ${reply.status}`);
    if (count > 0) times.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, SCRAPE_PAUSE_MS));
  }
  await load;
  return {
    count: times.length,
    p50Ms: median(times),
    p99Ms: percentile(Float64Array.from(times).sort(), 0.99),
  };
}

/** Losses and miscounts, as text. */
async function lossesWith(times: number, workers: number): Promise<string> {
  const { directory } = options;
  const reloads = await lossesOfReloads({ directory, times, workers });
  const drains = await lossesOfDrains({ directory, times, workers });
  const who = workers === 1 ? 'One process' : `${workers} workers`;
  return `${who}, ${reloads.times} reloads under load: ${reloads.lost} of ${reloads.answered + reloads.lost} requests lost (to reach: 0), ${reloads.miscounted} connections and answers miscounted.
${who}, ${drains.times} drains under load: ${drains.lost} of ${drains.answered + drains.lost} requests lost (to reach: 0).`;
}

function loadOf({ port }: ProxyProcess, connections: number): GetLoadProtocol['load'][0] {
  return { port, connections, leastMs: options.roundMs * ROUND_FACTOR, path: PATH };
}
