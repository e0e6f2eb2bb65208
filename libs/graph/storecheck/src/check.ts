import type { Finding } from './finding.ts';
import type { Scene } from './traffic.ts';

/** One promise, and the way to see it broken. */
export interface Check {
  readonly id: string;
  readonly name: string;
  /** Throws what a request met that should have been answered. */
  run(scene: Scene): Promise<Finding>;
}
