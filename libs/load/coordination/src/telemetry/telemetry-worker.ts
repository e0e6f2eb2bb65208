/** A thread that writes one run's telemetry and folds the oracle over it. */
import { parentPort } from 'node:worker_threads';
import { assert } from '#platform/foundation';
import { serveTelemetry } from './serve-telemetry.ts';

assert(parentPort !== null, 'a worker has a port to its parent');
serveTelemetry(parentPort);
