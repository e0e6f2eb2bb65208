/**
 * A process for the tests of threads: terminates a thread while it loads, and exits while another one loads.
 */
import { pause } from '#platform/foundation';
import { Thread, workerUrl } from '#platform/threads';

export interface LoadingCalls {
  loadMs(): number;
}

export interface LoadingSetup {
  /** Its only element is 1 once the thread has begun. */
  readonly begun: Int32Array<SharedArrayBuffer>;
}

async function startLoading(): Promise<Thread<LoadingCalls>> {
  const begun = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const url = workerUrl('loading-worker', import.meta.url);
  const thread = new Thread<LoadingCalls>({ url, setup: { begun } satisfies LoadingSetup });
  thread.call('loadMs', []).catch(() => undefined);
  while (Atomics.load(begun, 0) === 0) await pause(1);
  return thread;
}

await (await startLoading()).terminate();
await startLoading();
process.exit(0);
