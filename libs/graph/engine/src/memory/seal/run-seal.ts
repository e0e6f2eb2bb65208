import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SealInput, SealOutput } from './seal-input.ts';

/** Builds a base from its input, somehow. */
export type RunSeal = (input: SealInput) => Promise<SealOutput>;

const WORKER_URL = new URL(`./seal-worker${extname(import.meta.url)}`, import.meta.url);

/** Builds on a thread of its own. Rejects when that fails; nothing has changed then. */
export const sealInWorker: RunSeal = (input) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(WORKER_URL, { workerData: input });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => {
      reject(new Error(`the sealing thread ended with code ${String(code)}`));
    });
  });
