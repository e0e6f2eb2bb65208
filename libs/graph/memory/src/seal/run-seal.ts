import { Thread, workerUrl } from '#platform/threads';
import type { SealInput, SealOutput } from './seal-input.ts';

/** Builds a base from its input. */
export type RunSeal = (input: SealInput) => Promise<SealOutput>;

export interface SealCalls {
  seal(input: SealInput): SealOutput;
}

/** Builds on a separate thread. A failure rejects and changes nothing. */
export const sealInWorker: RunSeal = async (input) => {
  const thread = new Thread<SealCalls>({ url: workerUrl('seal-worker', import.meta.url) });
  try {
    return await thread.call('seal', [input]);
  } finally {
    await thread.close();
  }
};
