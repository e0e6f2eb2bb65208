import { lookup } from 'node:dns';
import { isIP } from 'node:net';
import { type Clock, systemClock } from '#platform/foundation';
import type { ProxyEvent } from '../../source/proxy-event.ts';
import type { Probe } from './target.ts';

/** Returns a random number from 0 to less than 1. */
export type Random = () => number;

/** The environment of clusters, replaceable by tests. */
export interface ClusterContext {
  readonly timers: Timers;
  readonly random: Random;
  readonly probe: Probe;
  readonly resolve: Resolve;
  readonly emit: (event: ProxyEvent) => void;
  /** The process that decides on targets and availability; undefined: this process, by its own checks. */
  readonly supervisor?: Supervisor | undefined;
  /** Called when the targets of a cluster, or their availability, may have changed. */
  readonly onAvailability?: ((cluster: string) => void) | undefined;
}

/** Another process, which checks and resolves for this one, and reports {@link EndpointAvailability}. */
export interface Supervisor {
  /**
   * Reports a target that failed often enough in a row to be ejected. Resolves when the supervisor has
   * decided.
   */
  suspect(suspicion: Suspicion): Promise<void>;
}

export interface Suspicion {
  readonly cluster: string;
  /** The address in the configuration. */
  readonly address: string;
  readonly ip: string;
  readonly reason: string;
}

/** An endpoint's state as found by a supervisor. Plain data. */
export interface EndpointAvailability {
  readonly cluster: string;
  /** The address in the configuration. */
  readonly address: string;
  readonly targets: readonly { readonly ip: string; readonly isAvailable: boolean }[];
}

/** All IP addresses of a name, in any order; rejects when there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Resolution by the system: `/etc/hosts` first. */
export const systemResolve: Resolve = (name) =>
  new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve(Array.from(new Set(found.map(({ address }) => address))).sort());
    });
  });

/** Whether the host is an address, which needs no resolution. */
export function isAddress(host: string): boolean {
  return isIP(host) !== 0;
}

/** A clock with timers, replaceable by tests. */
export interface Timers extends Clock {
  /** Runs once after `ms`, unless it is cancelled before. */
  after(ms: number, run: () => void): CallOff;
}

export type CallOff = () => void;

/** A timer that fires later than this shows that the process stood still: stopped, or without a processor. */
const STANDSTILL_MS = 20;

/**
 * Timers that do not keep the process running. They measure the time of others, so time in which this process
 * stood still does not count: what came in meanwhile has not been read yet, and would be taken for silence.
 * Such a timer runs later by the time it was late, once more by at most its own length.
 */
export const systemTimers: Timers = {
  ...systemClock,
  after: (ms, run) => {
    let graceMs = ms;
    let timer: NodeJS.Timeout;
    const wait = (forMs: number): void => {
      const dueMs = systemClock.monotonicMs() + forMs;
      timer = setTimeout(() => {
        const lateMs = systemClock.monotonicMs() - dueMs;
        const moreMs = Math.min(lateMs, graceMs);
        if (lateMs < STANDSTILL_MS || moreMs <= 0) {
          run();
          return;
        }
        graceMs -= moreMs;
        wait(moreMs);
      }, forMs).unref();
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};
