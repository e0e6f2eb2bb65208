import { pause } from '#platform/foundation';
import type { CheckNode, CheckNodes } from './check-nodes.ts';

const WRITERS = 8;
const READERS = 4;
/** Between two reads of one reader, so that all have their turn in one process. */
const READ_PAUSE_MS = 2;
/** On a slow database clients go on for so much longer, until there was enough to see. */
const PATIENCE_MS = 60_000;

/** Where a check works, and for how long. */
export interface Scene {
  readonly nodes: CheckNodes;
  /** Of one check in which clients work at once. */
  readonly ms: number;
  /** Ends all. */
  readonly signal: AbortSignal;
}

/** What clients do; each call on another node. `n` counts writes from 1, over all writers. */
export interface Clients {
  write(n: number, node: CheckNode, at: number): Promise<unknown>;
  read?(node: CheckNode, at: number): Promise<unknown>;
  /** Whether a fault that is there would hardly have been missed. */
  isEnough(): boolean;
}

/** Writers and readers on all nodes at once, for the time of a check. Throws what the first of them met. */
export async function traffic(scene: Scene, clients: Clients): Promise<void> {
  const { nodes, ms, signal } = scene;
  const startMs = performance.now();
  let n = 0;
  let isOver = false;
  const goesOn = (): boolean => {
    if (isOver || signal.aborted) return false;
    const spentMs = performance.now() - startMs;
    return spentMs < ms || (spentMs < ms + PATIENCE_MS && !clients.isEnough());
  };
  const writer = async (first: number): Promise<void> => {
    for (let at = first; goesOn(); at++) await clients.write(++n, nodes.node(at), at);
  };
  const reader = async (first: number): Promise<void> => {
    for (let at = first; goesOn(); at++) {
      await clients.read?.(nodes.node(at), at);
      await pause(READ_PAUSE_MS);
    }
  };
  const ended = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      isOver = true;
      throw error;
    });
  const work = [
    ...Array.from({ length: WRITERS }, (_, at) => ended(writer(at))),
    ...Array.from({ length: READERS }, (_, at) => ended(reader(at))),
  ];
  await Promise.allSettled(work);
  await Promise.all(work);
}
