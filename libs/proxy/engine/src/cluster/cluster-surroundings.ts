import type { ProxyEvent } from '../source/proxy-event.ts';
import type { Random } from './balancer/balancer.ts';
import type { Probe } from './health/probe.ts';
import type { Resolve } from './resolve.ts';
import type { Timers } from './timers.ts';

/** What clusters need of the world, so that tests can be one. */
export interface ClusterSurroundings {
  readonly timers: Timers;
  readonly random: Random;
  readonly probe: Probe;
  readonly resolve: Resolve;
  readonly emit: (event: ProxyEvent) => void;
}
