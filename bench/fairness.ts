/**
 * The effect of one client on others: 16 of the heaviest queries, a batch of 1,000 rows a second and a stream
 * of everything at once, while health and single entities are requested; then 10,000 cursors. The server is a
 * separate process with a heap of 1 GB.
 */
import { rmSync } from 'node:fs';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { emptied } from './harness/emptied.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { startGraph } from './http/graph-server.ts';

const HEAVY_QUERIES = 16;
const BATCH_ROWS = 1_000;
const LINKS_A_COMMENT = 3;
const CURSORS = 10_000;
const HEAP_MB = 1_024;
const NDJSON = 'application/x-ndjson';
const MB = 1e6;

/** Each walks, groups, sorts or matches the whole graph. */
const HEAVY = [
  'FIND comment AS a THAT REPLIES comment AS b THAT REPLIES comment AS c RETURN a._key, c._key ORDER BY c._key DESC',
  'FIND comment GROUP BY _key',
  'FIND comment AS a THAT REPLIES comment AS b THAT REPLIES comment AS c THAT REPLIES comment AS d RETURN COUNT(*)',
  "FIND comment WITH text =~ '(a|b|word)*z{3}$' GROUP BY text",
];

const options = readOptions(process.argv.slice(2));
const durationMs = options.roundMs * 40;
const directory = join(options.directory, 'fairness');
emptied(directory);
const server = await startGraph(directory, { node: [`--max-old-space-size=${HEAP_MB}`] });
const base = `http://127.0.0.1:${server.port}`;

try {
  await load();
  const [quietHealth, quietLookup] = await probed(durationMs / 4);
  const [health, lookup] = await underLoad();
  const cursors = await holdCursors();
  console.log(`## Fairness, ${options.entities.toLocaleString('en-US')} entities

${describeMachine()}. Heap ${HEAP_MB} MB, ${(durationMs / 1_000).toFixed(0)} s; the client shares the machine, whose load is ${loadavg()[0]?.toFixed(1)}.

| beside ${HEAVY_QUERIES} heavy queries, ${BATCH_ROWS} rows a second and a stream | p50 | p99 | most | asked |
| --- | --- | --- | --- | --- |
| health | ${figures(health)} |
| one entity by its key | ${figures(lookup)} |
| health, nothing beside it | ${figures(quietHealth)} |
| one entity, nothing beside it | ${figures(quietLookup)} |

${CURSORS} cursors: results hold ${(cursors.heldBytes / MB).toFixed(0)} MB, memory of the process grew by ${(cursors.grownBytes / MB).toFixed(0)} MB at most.
`);
} finally {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}

function linesOf(first: number, count: number): string {
  const lines: string[] = [];
  for (let at = first; at < first + count; at++) {
    const text = `word ${at % 977} ${'ab'.repeat(20)}`;
    lines.push(
      JSON.stringify({ op: 'entity', type: 'comment', key: `c${at}`, properties: { text, n: at % 100 } }),
    );
    for (let link = 1; link <= LINKS_A_COMMENT && at >= link * 7; link++) {
      const to = { type: 'comment', key: `c${at - link * 7}` };
      lines.push(
        JSON.stringify({ op: 'relationship', from: { type: 'comment', key: `c${at}` }, verb: 'REPLIES', to }),
      );
    }
  }
  return `${lines.join('\n')}\n`;
}

async function send(path: string, body: string, headers: Record<string, string> = {}): Promise<string> {
  const reply = await fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return reply.text();
}

async function load(): Promise<void> {
  const CHUNK = 20_000;
  for (let first = 0; first < options.entities; first += CHUNK) {
    const count = Math.min(CHUNK, options.entities - first);
    await send('/v1/ingest/bulk', linesOf(first, count), { 'content-type': NDJSON });
  }
}

/** Milliseconds of each health request and each lookup. */
async function underLoad(): Promise<readonly [number[], number[]]> {
  const endMs = performance.now() + durationMs;
  const isOver = (): boolean => performance.now() >= endMs;
  const heavy = async (pql: string): Promise<void> => {
    while (!isOver()) await send('/v1/query', JSON.stringify({ pql, limit: 1, timeout_ms: 10_000 }));
  };
  const write = async (): Promise<void> => {
    for (let first = options.entities; !isOver(); first += BATCH_ROWS) {
      await send('/v1/ingest/bulk', linesOf(first, BATCH_ROWS), { 'content-type': NDJSON });
      await pause(1_000);
    }
  };
  const stream = async (): Promise<void> => {
    while (!isOver()) await send('/v1/query', JSON.stringify({ pql: 'FIND *' }), { accept: NDJSON });
  };
  const probes = probed(durationMs);
  const queries = Array.from({ length: HEAVY_QUERIES }, (_, at) => heavy(HEAVY[at % HEAVY.length] ?? ''));
  await Promise.all([...queries, write(), stream()]);
  return probes;
}

/**
 * Requested by a separate thread: the client's work on large replies must not count as a delay of the server.
 */
async function probed(forMs: number): Promise<readonly [number[], number[]]> {
  const worker = new Worker(new URL('./http/fairness-probe.ts', import.meta.url), {
    workerData: { base, forMs },
  });
  const [{ health, lookup }] = (await once(worker, 'message')) as [{ health: number[]; lookup: number[] }];
  return [health, lookup];
}

async function holdCursors(): Promise<{ readonly heldBytes: number; readonly grownBytes: number }> {
  const before = await metric('plexus_process_resident_memory_bytes');
  let most = before;
  for (let at = 0; at < CURSORS; at++) {
    await send('/v1/query', JSON.stringify({ pql: 'FIND comment', limit: 1 }));
    if (at % 200 === 0) most = Math.max(most, await metric('plexus_process_resident_memory_bytes'));
  }
  return { heldBytes: await metric('plexus_cursor_bytes'), grownBytes: most - before };
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${base}/metrics`)).text();
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}

function figures(ms: readonly number[]): string {
  const sorted = ms.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    `${(sorted[Math.floor((sorted.length - 1) * share)] ?? NaN).toFixed(1)} ms`;
  return `${at(0.5)} | ${at(0.99)} | ${at(1)} | ${sorted.length}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
