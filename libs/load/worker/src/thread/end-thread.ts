import type { Worker } from 'node:worker_threads';

/** What a thread of ours takes as the word to end: it lets go of what it holds, and ends by itself. */
export const CLOSE = 'close';

const PATIENCE_MS = 10_000;

/**
 * Ends a thread in good order. Terminated in the midst of native code (a signature, a module that is being
 * loaded), a thread takes the whole process along; so that is left for one that does not end.
 */
export async function endThread(worker: Worker): Promise<void> {
  // A thread that has ended has no id any more.
  if (worker.threadId < 0) return;
  const late = setTimeout(() => void worker.terminate(), PATIENCE_MS);
  worker.postMessage(CLOSE);
  await new Promise((resolve) => worker.once('exit', resolve));
  clearTimeout(late);
}
