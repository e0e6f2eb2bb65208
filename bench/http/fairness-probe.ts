/** Requests the health and one entity repeatedly, and reports the time of each. */
import { parentPort, workerData } from 'node:worker_threads';

const PAUSE_MS = 20;

const { base, forMs } = workerData as { readonly base: string; readonly forMs: number };
const endMs = performance.now() + forMs;

const [health, lookup] = await Promise.all([
  probe(() => fetch(`${base}/v1/health`)),
  probe(() =>
    fetch(`${base}/v1/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ pql: "FIND comment WITH _key = 'c42'" }),
    }),
  ),
]);
parentPort?.postMessage({ health, lookup });

async function probe(ask: () => Promise<Response>): Promise<number[]> {
  const ms: number[] = [];
  while (performance.now() < endMs) {
    const startMs = performance.now();
    await (await ask()).text();
    ms.push(performance.now() - startMs);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return ms;
}
