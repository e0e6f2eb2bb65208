/**
 * Work in the midst of which a thread is not ended. Node ends a thread between any two instructions; where
 * that leaves a compression object half made, Node aborts the whole process ("close before init",
 * node_zlib.cc of 24.21). The same goes for modules that are being loaded. So who ends a thread first asks it
 * to begin nothing of the kind any more, and waits for what it is at (ADR 0228).
 */

import { pause } from '#platform/foundation';

/** Shared by a thread and the one that started it. */
export type Gate = Int32Array<SharedArrayBuffer>;

const [PHASE, ENDING] = [0, 1];
const [AT_EASE, AT_WORK, STOPPED] = [0, 1, 2];
const WAIT_MS_MAX = 10_000;
const EXIT_MS_MAX = 1_000;

let own: Gate | undefined;
let isAtWork = false;

/** Of a thread that still loads its modules. */
export function newGate(): Gate {
  const gate = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  gate[PHASE] = AT_WORK;
  return gate;
}

/** In the thread: its modules are there, and its work passes this gate from now on. */
export function passGate(gate: Gate): void {
  own = gate;
  leave(gate);
}

/**
 * Does what a thread must not be ended in. For what takes some milliseconds at most: who ends the thread
 * waits. On a thread that nobody ends it is a plain call.
 */
export function uninterrupted<Value>(work: () => Value): Value {
  if (own === undefined || isAtWork) return work();
  Atomics.store(own, PHASE, AT_WORK);
  if (Atomics.load(own, ENDING) === 1) stop(own);
  isAtWork = true;
  try {
    return work();
  } finally {
    isAtWork = false;
    leave(own);
  }
}

/**
 * In the parent: resolves when the thread is at no such work and will begin none, has ended, or has taken too
 * long. It looks now and then: V8 breaks off the process where what waits by `Atomics.waitAsync` has gone.
 */
export async function closeGate(gate: Gate, hasEnded: () => boolean): Promise<void> {
  Atomics.store(gate, ENDING, 1);
  const untilMs = performance.now() + WAIT_MS_MAX;
  while (Atomics.load(gate, PHASE) === AT_WORK && !hasEnded() && performance.now() < untilMs) await pause(1);
}

/** The same of many, for a process that exits: it can wait for nothing but this. */
export function closeGatesNow(gates: Iterable<Gate>): void {
  const all = [...gates];
  for (const gate of all) Atomics.store(gate, ENDING, 1);
  for (const gate of all) Atomics.wait(gate, PHASE, AT_WORK, EXIT_MS_MAX);
}

function leave(gate: Gate): void {
  Atomics.store(gate, PHASE, AT_EASE);
  Atomics.notify(gate, PHASE);
}

/** The thread does nothing more, and waits to be ended. */
function stop(gate: Gate): void {
  Atomics.store(gate, PHASE, STOPPED);
  Atomics.notify(gate, PHASE);
  Atomics.wait(gate, ENDING, 1);
}
