/** Losses of reloads and drains under load: every request must be answered, and counted once. */
import { join } from 'node:path';
import { freePort } from '../harness/free-port.ts';
import { pause } from '../soak/chance.ts';
import { behave, type OrderlyTally } from '../soak/orderly-client.ts';
import { SoakedProxy } from '../soak/soaked-proxy.ts';
import { soundly, Upstream } from '../soak/upstreams.ts';

const CLIENTS = 32;
const RELOAD_EVERY_MS = 100;
const LOAD_BEFORE_DRAIN_MS = 300;
const LOOK_EVERY_MS = 20;

export interface Losses {
  readonly times: number;
  readonly answered: number;
  readonly lost: number;
  /** Connections and answers counted by the proxy, minus the actual number. */
  readonly miscounted: number;
}

export interface LossesOptions {
  readonly directory: string;
  readonly times: number;
  /** Number of processes of the proxy. */
  readonly workers: number;
}

interface Place {
  readonly workers: number;
  readonly file: string;
  readonly admin: number;
  readonly web: number;
  readonly upstream: string;
}

/** Each reload changes the listener, the balancer and the routes. */
export async function lossesOfReloads({ directory, times, workers }: LossesOptions): Promise<Losses> {
  const upstream = await Upstream.start(soundly(() => undefined));
  const place = await placeOf(directory, upstream, workers);
  const proxy = await SoakedProxy.start(place.file, configurationOf(place, 0), place.admin);
  const tally = emptyTally();
  let isOver = false;
  const clients = load(place.web, tally, () => isOver);
  for (let time = 1; time <= times; time++) {
    await pause(RELOAD_EVERY_MS);
    const status = await proxy.reload(configurationOf(place, time));
    if (status !== 200) throw new Error(`a reload was answered with ${status}`);
  }
  isOver = true;
  await Promise.all(clients);
  const page = await proxy.page();
  const miscounted =
    Math.abs(page.of('downstream_cx_total') - tally.connections) +
    Math.abs(page.sum('listener_responses_total') - tally.answered);
  await proxy.drain();
  upstream.stop();
  return { times, answered: tally.answered, lost: tally.lost, miscounted };
}

/** Clients connect while the proxy is ready, like those behind a load balancer. */
export async function lossesOfDrains({ directory, times, workers }: LossesOptions): Promise<Losses> {
  const upstream = await Upstream.start(soundly(() => undefined));
  const tally = emptyTally();
  for (let time = 0; time < times; time++) {
    await drainOnce(await placeOf(directory, upstream, workers), tally);
  }
  upstream.stop();
  return { times, answered: tally.answered, lost: tally.lost, miscounted: 0 };
}

async function drainOnce(place: Place, tally: OrderlyTally): Promise<void> {
  const proxy = await SoakedProxy.start(place.file, configurationOf(place, 0), place.admin);
  let isOver = false;
  const clients = load(place.web, tally, () => isOver);
  await pause(LOAD_BEFORE_DRAIN_MS);
  const draining = proxy.drain();
  while (await proxy.isReady()) await pause(LOOK_EVERY_MS);
  isOver = true;
  await Promise.all(clients);
  const code = await draining;
  if (code !== 0) throw new Error(`a drain ended with ${String(code)}`);
}

function load(port: number, tally: OrderlyTally, isOver: () => boolean): Promise<void>[] {
  return Array.from({ length: CLIENTS }, () => behave(port, tally, { isOver, pauseMs: 0 }));
}

async function placeOf(directory: string, { address }: Upstream, workers: number): Promise<Place> {
  const file = join(directory, 'plexus-losses.yaml');
  return { workers, file, admin: await freePort(), web: await freePort(), upstream: address };
}

function configurationOf({ workers, admin, web, upstream }: Place, time: number): object {
  const isOdd = time % 2 === 1;
  return {
    admin_address: `127.0.0.1:${admin}`,
    admin: { extensions: true },
    workers,
    listeners: [{ name: 'web', address: `127.0.0.1:${web}`, idle_timeout: isOdd ? '50s' : '60s' }],
    clusters: [
      {
        name: 'api',
        lb_policy: isOdd ? 'random' : 'least_request',
        endpoints: [{ address: upstream }],
        health_check: { type: 'tcp', interval: '1s', timeout: '900ms' },
      },
    ],
    routes: [{ prefix: isOdd ? '/' : '/orderly', cluster: 'api', timeout: '30s' }],
    drain: { grace: '1s', timeout: '20s' },
  };
}

function emptyTally(): OrderlyTally {
  return { connections: 0, answered: 0, lost: 0, faults: [] };
}
