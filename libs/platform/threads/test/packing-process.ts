/**
 * A process for the tests of threads: terminates a number of threads while they compress, one after another,
 * and exits while another one does.
 */
import { Thread, workerUrl } from '#platform/threads';
import { pause } from '#platform/foundation';

export interface PackingCalls {
  /** Never returns. */
  pack(): void;
}

const [ends = '0'] = process.argv.slice(2);

function startPacking(): Thread<PackingCalls> {
  const thread = new Thread<PackingCalls>({ url: workerUrl('packing-worker', import.meta.url) });
  thread.call('pack', []).catch(() => undefined);
  return thread;
}

/** Latest termination, from a thread's start; covers the loading of modules and the work. */
const LATEST_END_MS = 120;

for (let end = 0; end < Number(ends); end++) {
  const thread = startPacking();
  await pause((LATEST_END_MS * end) / Number(ends));
  await thread.terminate();
}
startPacking();
await pause(100);
process.exit(0);
