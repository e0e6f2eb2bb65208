import { extname } from 'node:path';
import { type Transferable, Worker } from 'node:worker_threads';
import { DomainError } from '#platform/foundation';
import {
  type Arguments,
  type Call,
  CLOSE,
  type FromThread,
  type MethodName,
  type Result,
  type Start,
} from './messages.ts';
import { closeGate, closeGatesNow, type Gate, newGate } from './uninterrupted.ts';

const END_MS_MAX = 10_000;

/** Gates of the running threads: an exiting process ends them all. */
const running = new Set<Gate>();
let isExitWatched = false;

/**
 * The URL of a worker's file in the folder of the module that starts it; `.ts` in the sources, `.js` in the
 * build, where all workers are in one folder with the programs. So it needs the module's folder and a unique
 * name.
 */
export function workerUrl(name: string, moduleUrl: string): URL {
  return new URL(`./${name}${extname(moduleUrl)}`, moduleUrl);
}

export interface ThreadOptions<Events extends object> {
  /** A file that calls `serveThread`. */
  readonly url: URL;
  /** Parameters of the thread; copied, except shared memory. */
  readonly setup?: unknown;
  readonly listener?: Events;
  /** Called once with an error that has ended the thread; not for one during its close. */
  readonly onBroken?: (error: Error) => void;
  /** The error with which open and later calls reject once the thread has ended normally. */
  readonly endedError?: (exitCode: number) => Error;
  /** Time after which `close` terminates the thread. Default 10 s. */
  readonly endMsMax?: number;
}

/**
 * A worker thread whose methods (`Calls`) are called by name, and whose events (`Events`) are methods of a
 * listener. A {@link DomainError} of a call rejects that call; any other error ends the thread, and rejects
 * all open calls.
 */
export class Thread<Calls extends object, Events extends object = object> {
  /** Receives events; may be replaced at any time. */
  listener: Events | undefined;
  readonly #worker: Worker;
  readonly #gate = newGate();
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #ended = Promise.withResolvers<undefined>();
  readonly #endMsMax: number;
  #lastId = 0;
  #isClosing = false;
  #failure: Error | undefined;

  constructor({ url, setup, listener, onBroken, endedError = endedBy, endMsMax }: ThreadOptions<Events>) {
    this.listener = listener;
    this.#endMsMax = endMsMax ?? END_MS_MAX;
    this.#worker = new Worker(url, { workerData: { setup, gate: this.#gate } satisfies Start });
    closeAtExit(this.#gate);
    this.#worker.on('message', (message: FromThread) => {
      this.#hear(message);
    });
    this.#worker.once('error', (cause) => {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      this.#fail(error);
      if (!this.#isClosing) onBroken?.(error);
    });
    this.#worker.once('exit', (code) => {
      this.#fail(endedError(code));
      running.delete(this.#gate);
      this.#ended.resolve(undefined);
    });
  }

  get isRunning(): boolean {
    return this.#failure === undefined;
  }

  /** Number of calls without an answer. */
  get openCalls(): number {
    return this.#open.size;
  }

  /** Rejects as described at the class, and when the arguments cannot be copied. */
  async call<Name extends MethodName<Calls>>(
    name: Name,
    args: Arguments<Calls, Name>,
    transfer: readonly Transferable[] = [],
  ): Promise<Result<Calls, Name>> {
    if (this.#failure !== undefined) throw this.#failure;
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<Result<Calls, Name>>();
    this.#worker.postMessage({ id, name, args } satisfies Call, transfer);
    this.#open.set(id, answer as PromiseWithResolvers<unknown>);
    return answer.promise;
  }

  /** A call without an answer: its failure ends the thread. */
  send<Name extends MethodName<Calls>>(name: Name, ...args: Arguments<Calls, Name>): void {
    this.#worker.postMessage({ id: undefined, name, args } satisfies Call);
  }

  /** Keeps the process running, as a new thread does. */
  ref(): void {
    this.#worker.ref();
  }

  unref(): void {
    this.#worker.unref();
  }

  /**
   * Ends the thread after the calls made so far; terminates it when it does not end. Events are no longer
   * delivered. Never rejects.
   */
  async close(): Promise<void> {
    this.listener = undefined;
    this.#isClosing = true;
    const late = setTimeout(() => void this.terminate(), this.#endMsMax);
    this.#worker.ref();
    this.#worker.postMessage(CLOSE);
    await this.#ended.promise;
    clearTimeout(late);
  }

  /**
   * Ends the thread at once, except during {@link uninterrupted} work. Its events are delivered before this
   * resolves.
   */
  async terminate(): Promise<void> {
    await closeGate(this.#gate, () => !this.isRunning);
    await this.#worker.terminate();
    await this.#ended.promise;
  }

  #hear(message: FromThread): void {
    if ('event' in message) {
      const methods = this.listener as Record<string, (...args: unknown[]) => void> | undefined;
      methods?.[message.event]?.(...message.args);
      return;
    }
    const call = this.#open.get(message.id);
    this.#open.delete(message.id);
    if (!('failure' in message)) return call?.resolve(message.result);
    const { code, message: text, details } = message.failure;
    call?.reject(new DomainError(code, text, details === undefined ? {} : { details }));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#open.values()) reject(this.#failure);
    this.#open.clear();
  }
}

function endedBy(exitCode: number): Error {
  return new Error(`the thread ended with code ${exitCode}`);
}

function closeAtExit(gate: Gate): void {
  if (!isExitWatched) process.on('exit', () => closeGatesNow(running));
  isExitWatched = true;
  running.add(gate);
}
