/**
 * Runs steps that leave work behind, each in a run of its own, and prints the reports by name as JSON. A
 * process of its own, because a test runner takes stray errors for its own. The timers are what such modules
 * leave behind; no assertion waits for one.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import { connect } from 'node:net';
import * as timers from 'node:timers';
import { collect } from '../src/run/collect.ts';

const CAUSE = new Error('page 2 is missing');
const ANSWER_MS = 30;

const pause = (ms) => new Promise((resolve) => timers.setTimeout(resolve, ms));

/**
 * Calls back after the step's own end, which is a turn of the event loop after its function.
 * On a busy machine a timer may be due within that turn.
 */
const later = (callback) =>
  timers.setTimeout(() => timers.setImmediate(() => timers.setImmediate(callback)), ANSWER_MS);

/** By an interval, which ends then. */
function afterCalls(count, callback) {
  let calls = 0;
  const interval = timers.setInterval(() => {
    if (++calls < count) return;
    timers.clearInterval(interval);
    callback();
  }, 1);
}

function fail() {
  throw CAUSE;
}

async function readPage(context, url) {
  const reply = await fetch(url, { signal: context.signal });
  const { key } = await reply.json();
  context.emitEntity({ type: 'host', key });
}

function emitQuietly(context) {
  try {
    context.emitEntity({ type: 'host', key: 'late' });
  } catch {
    // As a module that wants to go on.
  }
}

/** Known within a turn of the event loop. */
const AT_ONCE = {
  'a rejected promise': () => Promise.reject(CAUSE),
  'a promise rejected after others': () => Promise.resolve().then(() => Promise.resolve().then(fail)),
  'an error in setImmediate': () => timers.setImmediate(fail),
  'an error in process.nextTick': () => process.nextTick(fail),
};

const LATER = {
  'an error in a timer': () => later(fail),
  'an error of an interval after its first call': () => afterCalls(3, fail),
  'a refused fetch': (_context, url) => fetch(url.replace('127.0.0.1', '127.0.0.2')),
  'a fetch whose answer is emitted': readPage,
  'a fetch whose errors are dropped': (context, url) => readPage(context, url).catch(() => undefined),
  'a fetch without an answer': (context, url) => readPage(context, `${url}/silent`).catch(() => undefined),
  'a request of node:http': (context, url) => get(url, () => context.incomplete(['host'], 'half')),
  'a request of node:http without an answer': (_context, url) =>
    get(`${url}/silent`).on('error', () => undefined),
  'a loop of asynchronous functions': (context) =>
    [1, 2].forEach(async (index) => {
      await new Promise(later);
      context.emitEntity({ type: 'host', key: `late-${index}` });
    }),
  'an emit whose error is dropped': (context) => later(() => emitQuietly(context)),
  'a file': (context) => readFile('/proc/self/status').then(() => emitQuietly(context)),
  'a socket that is refused': (_context, url) => connect(Number(new URL(url).port), '127.0.0.2'),
};

/** A step may wait for a part of it. */
const INNOCENT = {
  'a promise without end': () => void new Promise(() => undefined),
  'the limit of a race': (_context, url) => Promise.race([fetch(url), pause(1_000).then(fail)]),
  'a limit by signal': (_context, url) => fetch(url, { signal: globalThis.AbortSignal.timeout(60_000) }),
  'a kept connection': (_context, url) => fetch(url).then((reply) => reply.text()),
  'an answer that is not read': async (_context, url) => void (await fetch(`${url}/large`)),
  'a timer that holds no process': () => void timers.setInterval(fail, 60_000).unref(),
  'an interval that ends': () => void afterCalls(3, () => undefined),
  'a computation that is made at once': () => void randomBytes(18),
  'work that ends well': () => void pause(ANSWER_MS),
};

const answer = ({ url }, response) => {
  if (url === '/silent') return;
  if (url === '/large') response.end('x'.repeat(10_000_000));
  else timers.setTimeout(() => response.end('{"key":"page"}'), ANSWER_MS);
};

async function reportOf(run) {
  const hosts = {
    id: 'hosts',
    emits: { entities: ['host'], relationships: ['RUNS'] },
    retries: 1,
    run,
  };
  const disks = {
    id: 'disks',
    dependsOn: ['hosts'],
    emits: { entities: ['disk'] },
    run: () => undefined,
  };
  const { report } = await collect({ id: 'own', steps: [hosts, disks], config: {}, secrets: [] });
  return report();
}

async function main() {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const running = [];
  for (const [name, work] of Object.entries(AT_ONCE)) {
    let attempts = 0;
    const run = (context) => {
      context.emitEntity({ type: 'host', key: 'a' });
      if (attempts++ === 0) void work(context, url);
    };
    running.push([name, reportOf(run)]);
  }
  for (const [name, work] of Object.entries(LATER)) {
    running.push([name, reportOf((context) => void work(context, url))]);
  }
  for (const [name, work] of Object.entries(INNOCENT)) {
    running.push([name, reportOf(async (context) => void (await work(context, url)))]);
  }
  const reports = await Promise.all(running.map(async ([name, report]) => [name, await report]));
  const kinds = { atOnce: Object.keys(AT_ONCE), later: Object.keys(LATER), innocent: Object.keys(INNOCENT) };
  process.stdout.write(JSON.stringify({ ...kinds, reports: Object.fromEntries(reports) }), () =>
    process.exit(),
  );
}

await main();
