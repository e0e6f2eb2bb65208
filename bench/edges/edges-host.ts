import { setTimeout as pause } from 'node:timers/promises';
import { serveParent } from '../harness/child-process.ts';
import { peakMbOf } from '../harness/process-cost.ts';
import type { EdgesCount, EdgesProtocol, StartSpread } from './edges-protocol.ts';
import { FakeEdge } from './fake-edge.ts';

const POLL_MS = 20;
const BEAT_MS = 1_000;
const edges: FakeEdge[] = [];

async function open({
  address,
  count,
}: {
  readonly address: string;
  readonly count: number;
}): Promise<number> {
  const startMs = performance.now();
  for (let number = 0; number < count; number++) edges.push(new FakeEdge(`edge-${number}`, address));
  await Promise.all(edges.map((edge) => edge.connected));
  return performance.now() - startMs;
}

async function started(): Promise<StartSpread> {
  for (;;) {
    const starts = edges.flatMap(({ start }) => (start === undefined ? [] : [start]));
    if (starts.length === edges.length) {
      const heard = starts.map(({ heardMs }) => heardMs);
      const aheadMs = Math.min(...starts.map((start) => start.aheadMs));
      return { fanOutMs: Math.max(...heard) - Math.min(...heard), aheadMs };
    }
    await pause(POLL_MS);
  }
}

/** Each edge has a different offset within the second. */
async function keepUp({ seconds }: { readonly seconds: number }): Promise<undefined> {
  const deadlineMs = performance.now() + seconds * 1_000;
  const own = async (edge: FakeEdge, at: number): Promise<void> => {
    await pause((BEAT_MS * at) / edges.length);
    while (performance.now() < deadlineMs) {
      edge.beat();
      await pause(BEAT_MS);
    }
  };
  await Promise.all(edges.map(own));
  return undefined;
}

async function counts(): Promise<EdgesCount> {
  await Promise.all(edges.map(({ client, runId }) => client.flushed(runId)));
  const tallies = edges.map(({ client, runId }) => client.batchTally(runId));
  return {
    pushed: sum(edges.map(({ batches }) => batches)),
    acked: sum(tallies.map(({ acked }) => acked)),
    refused: sum(tallies.map(({ refused }) => refused)),
    disconnections: sum(edges.map(({ disconnections }) => disconnections)),
    peakMb: peakMbOf(process.pid),
  };
}

function sum(counted: readonly number[]): number {
  return counted.reduce((total, one) => total + one, 0);
}

serveParent<EdgesProtocol>({ open, started, keepUp, counts });
