import { pause } from '#platform/foundation';
import type { CheckNode, CheckNodes } from './check-nodes.ts';

const WRITERS = 8;
const READERS = 4;
/** Pause between two reads of one reader, so that all clients of the process make progress. */
const READ_PAUSE_MS = 2;
/** On a slow database, clients continue this much longer to collect enough observations. */
const PATIENCE_MS = 60_000;

/** The nodes and the duration of a check. */
export interface Scene {
  readonly nodes: CheckNodes;
  /** Duration of one check with concurrent clients. */
  readonly ms: number;
  /** Ends the check. */
  readonly signal: AbortSignal;
}

/** The operations of clients; each call goes to another node. `n` counts the writes of all writers from 1. */
export interface Clients {
  write(n: number, node: CheckNode, at: number): Promise<unknown>;
  read?(node: CheckNode, at: number): Promise<unknown>;
  /** Whether an existing fault would very likely have been observed. */
  isEnough(): boolean;
}

/** Runs writers and readers on all nodes for the duration of a check. Throws the first error of a client. */
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
