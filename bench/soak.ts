/**
 * The proxy under combined load for a given time: clients that disconnect at every stage, upstreams that
 * reset, truncate, send invalid data or nothing, slow heads, WebSockets, TCP, and reloads. At the end nothing
 * may be active, counters must match the traffic, and memory must be back at its level. Correct clients must
 * not be affected. Exits with 1 when any of this fails.
 */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from './harness/free-port.ts';
import { describeMachine } from './harness/machine.ts';
import { Chance, pause } from './soak/chance.ts';
import { configurationOf } from './soak/configuration.ts';
import { behave, type OrderlyTally } from './soak/orderly-client.ts';
import type { Page } from './soak/page.ts';
import { SoakedProxy } from './soak/soaked-proxy.ts';
import { misbehave, sit } from './soak/unruly-client.ts';
import { echoing, faultily, soundly, Upstream } from './soak/upstreams.ts';

const ORDERLY_CLIENTS = 8;
const ORDERLY_PAUSE_MS = 10;
const UNRULY_CLIENTS = 48;
const STREAM_CLIENTS = 16;
/** The endpoints that exist at the end. */
const SITTERS = 8;
const RELOAD_EVERY_MS = 1_000;
const SCRAPE_EVERY_MS = 500;
const REST_MS_MAX = 60_000;
const MINUTE_MS = 60_000;
const BROKEN_SHARE = 0.1;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
  },
});
const chance = new Chance(Number(values.seed));
const endMs = performance.now() + Number(values.minutes) * MINUTE_MS;
const isOver = (): boolean => performance.now() > endMs || proxy.hasEnded;
const faults: string[] = [];
let soundRequests = 0;

const upstreams = {
  sound: [await Upstream.start(soundly(noteRequest)), await Upstream.start(soundly(noteRequest))],
  faulty: [await Upstream.start(faultily(chance)), await Upstream.start(faultily(chance))],
  stream: [await Upstream.start(echoing(chance)), await Upstream.start(echoing(chance))],
};
const addresses = {
  sound: upstreams.sound.map(({ address }) => address),
  faulty: upstreams.faulty.map(({ address }) => address),
  stream: upstreams.stream.map(({ address }) => address),
};
const ports = {
  admin: await freePort(),
  orderly: await freePort(),
  unruly: await freePort(),
  stream: await freePort(),
  extra: await freePort(),
};
const directory = join(tmpdir(), 'plexus-soak');
mkdirSync(directory, { recursive: true });
const context = { ports, upstreams: addresses, workers: Number(values.workers) };
const next = (): object => configurationOf(context, chance);
const proxy = await SoakedProxy.start(join(directory, `soak-${ports.admin}.yaml`), next(), ports.admin);
const orderly: OrderlyTally = { connections: 0, answered: 0, lost: 0, faults: [] };
const unruly = { connections: 0 };
const stream = { connections: 0 };
const reloads = { applied: 0, rejected: 0 };

try {
  console.log(
    `${describeMachine()}, ${values.minutes} minutes, seed ${values.seed}, workers ${values.workers}`,
  );
  await Promise.all([
    ...several(ORDERLY_CLIENTS, () => behave(ports.orderly, orderly, { isOver, pauseMs: ORDERLY_PAUSE_MS })),
    ...several(UNRULY_CLIENTS, () => misbehave({ kind: 'http', port: ports.unruly, chance, isOver }, unruly)),
    ...several(STREAM_CLIENTS, () =>
      misbehave({ kind: 'stream', port: ports.stream, chance, isOver }, stream),
    ),
    reloadAgainAndAgain(),
    watch(),
  ]);
  const sitters = await Promise.all([
    ...several(SITTERS, () => sit({ kind: 'http', port: ports.unruly }, unruly)),
    ...several(SITTERS, () => sit({ kind: 'stream', port: ports.stream }, stream)),
  ]);
  await rest();
  for (const sitter of sitters) sitter.destroy();
  report(await proxy.page());
  if ((await proxy.drain()) !== 0) faults.push('the proxy did not end with 0');
} finally {
  proxy.kill();
  for (const upstream of Object.values(upstreams).flat()) upstream.stop();
}
for (const fault of [...new Set(faults), ...orderly.faults]) console.log(`FAULT ${fault}`);
// Sockets lost by Node in a reset would keep the process running.
process.exit(faults.length === 0 ? 0 : 1);

function noteRequest(): void {
  soundRequests += 1;
}

function several<T>(count: number, start: () => Promise<T>): Promise<T>[] {
  return Array.from({ length: count }, start);
}

async function reloadAgainAndAgain(): Promise<void> {
  while (!isOver()) {
    await pause(RELOAD_EVERY_MS * 2 * chance.next());
    const isBroken = chance.next() < BROKEN_SHARE;
    const status = await proxy.reload(isBroken ? 'listeners: [' : next());
    if (status !== (isBroken ? 422 : 200)) faults.push(`a reload was answered with ${status}`);
    reloads[isBroken ? 'rejected' : 'applied'] += 1;
  }
}

/** Reads the metrics continuously, and reports memory once a minute. */
async function watch(): Promise<void> {
  let before: Page | undefined;
  for (let minute = 0; !isOver();) {
    const page = await proxy.page();
    faults.push(...page.faults(before));
    before = page;
    const minutesLeft = (endMs - performance.now()) / MINUTE_MS;
    if (Number(values.minutes) - minutesLeft >= minute) {
      reportMinute(minute, page);
      minute += 1;
    }
    await pause(SCRAPE_EVERY_MS);
  }
}

function reportMinute(minute: number, page: Page): void {
  const mega = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MB`;
  const heap = page.of('nodejs_heap_size_used_bytes');
  const counts = `${page.of('downstream_cx_total')} connections, ${page.sum('listener_responses_total')} answers`;
  const memory = `resident ${mega(proxy.residentBytes)}, heap ${mega(heap)}`;
  console.log(`minute ${minute}: ${memory}, ${counts}, ${reloads.applied} reloads, ${orderly.lost} lost`);
}

async function rest(): Promise<void> {
  const untilMs = performance.now() + REST_MS_MAX;
  await pause(SCRAPE_EVERY_MS);
  let open = await proxy.underWay();
  while (open.length > 0 && performance.now() < untilMs) {
    await pause(SCRAPE_EVERY_MS);
    open = await proxy.underWay();
  }
  for (const each of open) faults.push(`still under way: ${each}`);
}

function report(page: Page): void {
  const accepted = (listener: string): number =>
    page.sum('listener_cx_total', listener) + page.sum('listener_cx_refused_total', listener);
  const rows: readonly (readonly [what: string, counted: number, sent: number])[] = [
    ['connections that are open', page.of('downstream_cx_active'), 0],
    ['connections of orderly clients', accepted('orderly'), orderly.connections],
    ['connections of unruly clients', accepted('unruly'), unruly.connections],
    ['TCP connections', accepted('stream'), stream.connections],
    ['all connections', page.of('downstream_cx_total'), page.sum('listener_cx_total')],
    ['answers to orderly clients', page.sum('listener_responses_total', 'orderly', '2xx'), orderly.answered],
    ['other answers to them', page.sum('listener_responses_total', 'orderly') - orderly.answered, 0],
    ['requests to the sound endpoints', page.sum('endpoint_requests_total', 'sound'), soundRequests],
    ['requests lost', orderly.lost, 0],
  ];
  for (const [what, counted, sent] of rows) {
    console.log(`${what}: ${counted}, expected ${sent}`);
    if (counted !== sent) faults.push(`${what}: ${counted}, expected ${sent}`);
  }
  console.log(`reloads: ${reloads.applied} of what is valid, ${reloads.rejected} of what is not`);
  console.log(`memory at rest: ${(proxy.residentBytes / 2 ** 20).toFixed(0)} MB`);
}
