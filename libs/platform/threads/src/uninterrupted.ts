/**
 * Sections in which a thread must not be terminated. Node terminates a thread between any two instructions,
 * and at two places this aborts the whole process: while a compression object is created ("close before
 * init", node_zlib.cc of Node 24.21), and while a module runs after one with a top-level await, as
 * WebAssembly modules have ("(location_) != nullptr", AsyncModuleExecutionFulfilled of V8). So before a
 * thread is terminated, its gate is closed: the thread starts no such section any more, and the current one
 * is awaited.
 */

import { pause } from '#platform/foundation';

/** Shared by a thread and its parent. */
export type Gate = Int32Array<SharedArrayBuffer>;

const [PHASE, ENDING] = [0, 1];
const [AT_EASE, AT_WORK, STOPPED, LOADING] = [0, 1, 2, 3];
/** Maximum wait for a section. Loading modules takes long on a starved machine. */
const WAIT_MS_MAX = { work: 10_000, loading: 60_000 };
/** Maximum wait for each thread when the process exits. */
const EXIT_MS_MAX = { work: 1_000, loading: 10_000 };

let own: Gate | undefined;
/** Nesting depth of open sections; the modules of a loading thread may enter some. */
let depth = 0;

/** A gate of a thread that still loads its modules. */
export function newGate(): Gate {
  const gate = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  gate[PHASE] = LOADING;
  return gate;
}

/**
 * Called by the thread once, from the event loop and not from a module: all modules have run, and sections
 * pass this gate from now on.
 */
export function passGate(gate: Gate): void {
  if (own !== undefined) return;
  own = gate;
  enter(AT_WORK);
  leave();
}

/**
 * Runs a section in which the thread must not be terminated. It should take a few milliseconds at most,
 * because termination waits for it. On the main thread it is a plain call.
 */
export function uninterrupted<Value>(work: () => Value): Value {
  enter(AT_WORK);
  try {
    return work();
  } finally {
    leave();
  }
}

/** Like `uninterrupted`, for modules that a thread loads later. */
export async function uninterruptedImport<Module>(load: () => Promise<Module>): Promise<Module> {
  enter(LOADING);
  try {
    return await load();
  } finally {
    leave();
  }
}

/**
 * Called by the parent. Resolves when the thread is in no section and will enter none, when it has ended, or
 * after a time-out.
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

/** Like `closeGate`, for many threads at the exit of the process: blocks, as an exit handler cannot wait. */
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

/** Blocks the thread until it is terminated. */
function stop(gate: Gate): void {
  Atomics.store(gate, PHASE, STOPPED);
  Atomics.notify(gate, PHASE);
  Atomics.wait(gate, ENDING, 1);
}
