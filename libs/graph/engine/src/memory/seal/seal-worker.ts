/** The thread that seals: one input, one output, and it ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { buildBase } from './build-base.ts';
import type { SealInput } from './seal-input.ts';

parentPort?.postMessage(buildBase(workerData as SealInput));
