import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { getPriority, platform } from 'node:os';
import { Worker } from 'node:worker_threads';

const NICE_MAX = 19;
const OWN = getPriority(0);
const SCRIPT = `
  const { getPriority, setPriority } = require('node:os');
  const { parentPort, workerData: { before, module, nice } } = require('node:worker_threads');
  setPriority(0, before);
  import(module).then(({ giveWay }) => {
    giveWay(nice);
    parentPort.postMessage(getPriority(0));
  });
`;

const above = (steps: number): number => Math.min(NICE_MAX, OWN + steps);

/** The niceness of a thread after `giveWay`. */
async function nicenessAfter(before: number, nice: number): Promise<unknown> {
  const { href: module } = new URL('serve-thread.ts', import.meta.url);
  const worker = new Worker(SCRIPT, { eval: true, workerData: { before, module, nice } });
  const [niceness] = (await once(worker, 'message')) as unknown[];
  await worker.terminate();
  return niceness;
}

describe('giveWay', () => {
  const isOfThread = platform() === 'linux';

  it('sets the niceness of the calling thread only', async () => {
    expect(await nicenessAfter(OWN, above(2))).toBe(isOfThread ? above(2) : OWN);
    expect(getPriority(0)).toBe(OWN);
  });

  it('keeps a higher niceness', async () => {
    expect(isOfThread ? await nicenessAfter(above(4), above(2)) : above(4)).toBe(above(4));
  });
});
