import { getPriority, platform, setPriority } from 'node:os';
import { type MessagePort, parentPort, type Transferable, workerData } from 'node:worker_threads';
import { assert, DomainError } from '#platform/foundation';
import {
  type Arguments,
  type Call,
  CLOSE,
  type FromThread,
  type MethodName,
  Moved,
  type Result,
  type Start,
} from './messages.ts';
import { passGate } from './uninterrupted.ts';

/** The parent thread, which receives events. */
export interface Parent<Events> {
  emit<Name extends MethodName<Events>>(
    name: Name,
    args: Arguments<Events, Name>,
    transfer?: readonly Transferable[],
  ): void;
}

/** The methods of `Calls`; they may return a promise, or transfer memory. */
export type Serving<Calls> = {
  readonly [Name in keyof Calls]: (
    ...args: Arguments<Calls, Name>
  ) => Result<Calls, Name> | Moved<Result<Calls, Name>> | Promise<Result<Calls, Name>>;
};

/** What a thread implements for its parent. */
export interface ThreadServer<Calls> {
  readonly calls: Serving<Calls>;
  /** Releases what keeps the thread running. */
  close?(): void | Promise<void>;
}

/**
 * The thread's side of a `Thread`; a worker's file calls it once. A {@link DomainError} of a call is sent to
 * the caller, any other error ends the thread.
 */
export function serveThread<Calls extends object, Events extends object = object>(
  start: (setup: unknown, parent: Parent<Events>) => ThreadServer<Calls>,
): void {
  assert(parentPort !== null, 'a worker has a port to its parent');
  const port = parentPort;
  const { setup, gate } = workerData as Start;
  const server = start(setup, {
    emit: (event, args, transfer = []) => {
      port.postMessage({ event, args } satisfies FromThread, transfer);
    },
  });
  const methods = server.calls as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
  // Both events pass the gate; the first one counts.
  setImmediate(passGate, gate);
  port.on('message', (message: Call | typeof CLOSE) => {
    passGate(gate);
    if (message === CLOSE) void end(port, server);
    else void answer(port, methods, message);
  });
}

async function end(port: MessagePort, server: ThreadServer<unknown>): Promise<void> {
  await server.close?.();
  port.close();
}

async function answer(
  port: MessagePort,
  methods: Readonly<Record<string, (...args: readonly unknown[]) => unknown>>,
  { id, name, args }: Call,
): Promise<void> {
  const method = methods[name];
  assert(method !== undefined, `the thread has no method ${name}`);
  try {
    const result = await method(...args);
    if (id === undefined) return;
    const { value, memory } = (result instanceof Moved ? result : new Moved(result, [])) as Moved<unknown>;
    port.postMessage({ id, result: value } satisfies FromThread, memory);
  } catch (error) {
    if (id === undefined || !(error instanceof DomainError)) throw error;
    const { code, message, details } = error;
    port.postMessage({ id, failure: { code, message, details } } satisfies FromThread);
  }
}

/**
 * Lowers the priority of the calling thread below foreground work; only Linux has priorities per thread. A
 * higher niceness is kept, since lowering it may need privileges.
 */
export function giveWay(nice: number): void {
  if (platform() === 'linux') setPriority(0, Math.max(nice, getPriority(0)));
}
