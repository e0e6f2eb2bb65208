import type { Finding } from './finding.ts';
import type { Scene } from './traffic.ts';

/** One guarantee, and the test that detects its violation. */
export interface Check {
  readonly id: string;
  readonly name: string;
  /** Throws the error of a request that should have succeeded. */
  run(scene: Scene): Promise<Finding>;
}
