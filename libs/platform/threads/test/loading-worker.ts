/** A thread that loads slowly and reports when it has begun, for the tests of threads. */
import { serveThread } from '#platform/threads';
import { loadMs } from './late-module.ts';
import type { LoadingCalls, LoadingSetup } from './loading-process.ts';

const LOAD_MS = 300;

serveThread<LoadingCalls>((setup) => {
  const { begun } = setup as LoadingSetup;
  Atomics.store(begun, 0, 1);
  Atomics.wait(begun, 0, 1, LOAD_MS);
  return { calls: { loadMs: () => loadMs } };
});
