import type { ProxyEvent } from '../../source/proxy-event.ts';
import type { Probe } from './probe.ts';
import type { Resolve } from './resolve.ts';
import type { Timers } from './timers.ts';

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
