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
  /** Who decides which targets there are and which are available; undefined: this process, by its checks. */
  readonly supervisor?: Supervisor | undefined;
  /** Which targets of a cluster there are, or which of them are available, may have changed. */
  readonly onAvailability?: ((cluster: string) => void) | undefined;
}

/** Another process, which checks and resolves for this one. It tells by {@link EndpointAvailability}. */
export interface Supervisor {
  /** A target has failed as often in a row as ejects it. Resolves when that has been judged. */
  suspect(suspicion: Suspicion): Promise<void>;
}

export interface Suspicion {
  readonly cluster: string;
  /** As the configuration has it. */
  readonly address: string;
  readonly ip: string;
  readonly reason: string;
}

/** What a supervisor has found of an endpoint. Plain data. */
export interface EndpointAvailability {
  readonly cluster: string;
  /** As the configuration has it. */
  readonly address: string;
  readonly targets: readonly { readonly ip: string; readonly isAvailable: boolean }[];
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
