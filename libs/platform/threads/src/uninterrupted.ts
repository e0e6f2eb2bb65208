/**
 * Work in the midst of which a thread is not ended. Node ends a thread between any two instructions, and two
 * places of it do not bear that but abort the whole process: a compression object half made ("close before
 * init", node_zlib.cc of Node 24.21), and a module that runs after one that waited, as those with WebAssembly
 * do ("(location_) != nullptr", AsyncModuleExecutionFulfilled of V8). So who ends a thread first asks it to
 * begin nothing of the kind any more, and waits for what it is at (ADR 0228).
 */

import { pause } from '#platform/foundation';

/** Shared by a thread and the one that started it. */
export type Gate = Int32Array<SharedArrayBuffer>;

const [PHASE, ENDING] = [0, 1];
const [AT_EASE, AT_WORK, STOPPED, LOADING] = [0, 1, 2, 3];
/** Of what never ends. A starved machine takes its time to load modules. */
const WAIT_MS_MAX = { work: 10_000, loading: 60_000 };
/** For a process that exits, of each thread. */
const EXIT_MS_MAX = { work: 1_000, loading: 10_000 };

let own: Gate | undefined;
/** How many of such works are open; modules of a thread that loads may do some. */
let depth = 0;

/** Of a thread that still loads its modules. */
export function newGate(): Gate {
  const gate = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  gate[PHASE] = LOADING;
  return gate;
}

/**
 * In the thread, once, from the event loop and not from a module: all modules have run, and the work passes
 * this gate from now on.
 */
export function passGate(gate: Gate): void {
  if (own !== undefined) return;
  own = gate;
  enter(AT_WORK);
  leave();
}

/**
 * Does what a thread must not be ended in. For what takes some milliseconds at most: who ends the thread
 * waits. On a thread that nobody ends it is a plain call.
 */
export function uninterrupted<Value>(work: () => Value): Value {
  enter(AT_WORK);
  try {
    return work();
  } finally {
    leave();
  }
}

/** The same for modules that a thread loads later on. */
export async function uninterruptedImport<Module>(load: () => Promise<Module>): Promise<Module> {
  enter(LOADING);
  try {
    return await load();
  } finally {
    leave();
  }
}

/**
 * In the parent: resolves when the thread is at no such work and will begin none, has ended, or has taken too
 * long.
 */
export async function closeGate(gate: Gate, hasEnded: () => boolean): Promise<void> {
  Atomics.store(gate, ENDING, 1);
  const left = async (phase: number, msMax: number): Promise<void> => {
    const untilMs = performance.now() + msMax;
    while (Atomics.load(gate, PHASE) === phase && !hasEnded() && performance.now() < untilMs) await pause(1);
  };
  await left(LOADING, WAIT_MS_MAX.loading);
  await left(AT_WORK, WAIT_MS_MAX.work);
}

/** The same of many, for a process that exits: it can wait for nothing but this. */
export function closeGatesNow(gates: Iterable<Gate>): void {
  const all = [...gates];
  for (const gate of all) Atomics.store(gate, ENDING, 1);
  for (const gate of all) {
    Atomics.wait(gate, PHASE, LOADING, EXIT_MS_MAX.loading);
    Atomics.wait(gate, PHASE, AT_WORK, EXIT_MS_MAX.work);
  }
}

function enter(phase: number): void {
  if (depth++ > 0 || own === undefined) return;
  Atomics.store(own, PHASE, phase);
  if (Atomics.load(own, ENDING) === 1) stop(own);
}

function leave(): void {
  if (--depth > 0 || own === undefined) return;
  Atomics.store(own, PHASE, AT_EASE);
  Atomics.notify(own, PHASE);
}

/** The thread does nothing more, and waits to be ended. */
function stop(gate: Gate): void {
  Atomics.store(gate, PHASE, STOPPED);
  Atomics.notify(gate, PHASE);
  Atomics.wait(gate, ENDING, 1);
}
