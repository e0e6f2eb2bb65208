import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Check } from '#load/oracle';
import type { EdgeInstance } from '#load/telemetry';
import { DomainError } from '#platform/foundation';
import type {
  EdgeRow,
  SealedRun,
  TelemetryCallName,
  TelemetryCalls,
  TelemetryOpening,
  TelemetryReply,
  VerifiedRun,
  VerifyOrder,
} from './telemetry-messages.ts';

const WORKER_URL = new URL(`./telemetry-worker${extname(import.meta.url)}`, import.meta.url);

export interface TelemetryThreadEvents {
  /** Violations so far, by check; only rise. */
  violations(counts: Readonly<Record<Check, number>>): void;
  /** The thread has ended without being asked to: what is on disk is whole, and nothing more is taken. */
  ended(error: Error): void;
}

/** The telemetry of one run, on a thread of its own. Expected failures are those of `TelemetryWriter`. */
export class TelemetryThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  #failure: Error | undefined;

  static async open(opening: TelemetryOpening, events: TelemetryThreadEvents): Promise<TelemetryThread> {
    const thread = new TelemetryThread(events);
    try {
      await thread.#call('open', opening);
    } catch (error) {
      await thread.#worker.terminate();
      throw error;
    }
    return thread;
  }

  private constructor(events: TelemetryThreadEvents) {
    this.#worker = new Worker(WORKER_URL);
    this.#worker.on('message', (reply: TelemetryReply) => {
      if ('violations' in reply) events.violations(reply.violations);
      else this.#settle(reply);
    });
    this.#worker.on('error', (error: Error) => {
      this.#end(error);
      events.ended(error);
    });
    this.#worker.on('exit', () => this.#end(new DomainError('RUN_ENDED', 'the telemetry is closed')));
  }

  /** Resolves when the batch is on disk. The bytes are copied. */
  async take(edge: EdgeInstance, seq: number, bytes: Uint8Array): Promise<void> {
    const tables = new Uint8Array(bytes);
    await this.#call('take', { edge, seq, tables }, [tables.buffer]);
  }

  verify(order: VerifyOrder): Promise<VerifiedRun> {
    return this.#call('verify', order);
  }

  seal(edges: readonly EdgeRow[]): Promise<SealedRun> {
    return this.#call('seal', { edges });
  }

  /** Also when nothing else works any more. */
  async close(): Promise<void> {
    if (this.#failure === undefined) await this.#call('close', null).catch(() => undefined);
    await this.#worker.terminate();
  }

  #call<Name extends TelemetryCallName>(
    name: Name,
    given: TelemetryCalls[Name]['given'],
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<TelemetryCalls[Name]['gives']> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<TelemetryCalls[Name]['gives']>();
    this.#waiting.set(id, answer as PromiseWithResolvers<unknown>);
    this.#worker.postMessage({ id, name, given }, transfer);
    return answer.promise;
  }

  #settle(reply: Exclude<TelemetryReply, { readonly violations: unknown }>): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('failure' in reply) waiting?.reject(new DomainError(reply.failure.code, reply.failure.message));
    else waiting?.resolve(reply.given);
  }

  #end(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
