import { lookup } from 'node:dns';
import { isIP } from 'node:net';
import { type Clock, systemClock } from '#platform/foundation';
import type { ProxyEvent } from '../../source/proxy-event.ts';
import type { Probe } from './target.ts';

/** From 0 to less than 1. */
export type Random = () => number;

/** What clusters need of the world, so that tests can be one. */
export interface ClusterSurroundings {
  readonly timers: Timers;
  readonly random: Random;
  readonly probe: Probe;
  readonly resolve: Resolve;
  readonly emit: (event: ProxyEvent) => void;
}

/** All IP addresses of a name, without order; rejects when there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** As the system does it: `/etc/hosts` first. */
export const systemResolve: Resolve = (name) =>
  new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve(Array.from(new Set(found.map(({ address }) => address))).sort());
    });
  });

/** Whether there is nothing to resolve. */
export function isAddress(host: string): boolean {
  return isIP(host) !== 0;
}

/** Time that can also be waited for, so that tests can turn it. */
export interface Timers extends Clock {
  /** Runs once, `ms` from now, unless it is called off before. */
  after(ms: number, run: () => void): CallOff;
}

export type CallOff = () => void;

/** Keeps no process alive. */
export const systemTimers: Timers = {
  ...systemClock,
  after: (ms, run) => {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};
