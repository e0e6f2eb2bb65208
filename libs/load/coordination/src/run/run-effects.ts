import { systemNowUs } from '#load/protocol';
import { DomainError } from '#platform/foundation';
import { isEnded, type RunReason } from '../record/run-state.ts';
import type { RunFile } from '../record/run-store.ts';
import type { EdgeOrders } from './edge-orders.ts';
import { drawSchedule } from './edge-plans.ts';
import { runRecord } from './run-documents.ts';
import type { RunTask, TaskNamed } from './run-event.ts';
import type { RunLog } from './run-log.ts';
import type { RunFunding } from './funding.ts';
import type { RunTelemetry } from './run-telemetry.ts';
import type { Run } from './run.ts';

/** Ends of edges within this time are saved together. */
const SAVE_MS = 500;

type Tasks = { readonly [Type in RunTask['type']]: (task: TaskNamed<Type>) => Promise<void> | void };

/**
 * Performs the tasks of a run one after another, and reports their results to the run. An order is sent to an
 * edge only after the state that caused it is on disk. Long tasks run in the background.
 */
export class RunEffects {
  readonly #run: Run;
  readonly #file: RunFile;
  readonly #orders: EdgeOrders;
  readonly #money: RunFunding;
  readonly #telemetry: RunTelemetry;
  readonly #log: RunLog;
  readonly #queue: (readonly RunTask[])[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #ended = Promise.withResolvers<undefined>();
  readonly #closing = new AbortController();
  /** Aborted when the run ends before its accounts are funded. */
  readonly #funding = new AbortController();
  #working: Promise<void> | undefined;
  #saving: NodeJS.Timeout | undefined;
  #schedule: Promise<void> | undefined;

  constructor(
    run: Run,
    file: RunFile,
    orders: EdgeOrders,
    money: RunFunding,
    telemetry: RunTelemetry,
    log: RunLog,
  ) {
    this.#run = run;
    this.#file = file;
    this.#orders = orders;
    this.#money = money;
    this.#telemetry = telemetry;
    this.#log = log;
    run.connect((tasks) => {
      this.#queue.push(tasks);
      this.#working ??= Promise.resolve().then(() => this.#work());
    });
  }

  readonly #tasks: Tasks = {
    tell_phase: (task) => {
      this.#log.phase(task);
    },
    save: ({ isUrgent }) => {
      if (!isUrgent) this.#saving ??= setTimeout(() => void this.#saveNow(), SAVE_MS);
      return isUrgent ? this.#saveNow() : undefined;
    },
    prepare: ({ edgeIds }) => {
      this.#orders.prepare(edgeIds);
    },
    fund: () => {
      this.#attempt('funding_failed', () => this.#fund());
    },
    make_ready: ({ edgeIds }) => {
      this.#orders.makeReady(edgeIds);
    },
    start: ({ edgeIds }) => {
      this.#orders.start(edgeIds);
      void this.#drawSchedule();
    },
    change_rate: ({ edgeIds, ...change }) => {
      this.#orders.changeRate(edgeIds, change);
      void this.#drawSchedule(true);
    },
    stop: ({ edgeIds, isAbort, reason }) => {
      this.#funding.abort();
      this.#orders.stop(edgeIds, isAbort, reason);
    },
    verify: () => {
      this.#attempt('telemetry_failed', () => this.#verify());
    },
    conclude: () => {
      this.#funding.abort();
      void this.#conclude();
    },
    end: () => {
      this.#log.ended();
      this.#stop();
      this.#ended.resolve(undefined);
    },
  };

  /** Resolves when the run has ended and its final state is on disk, unless the disk is full. */
  get ended(): Promise<undefined> {
    return this.#ended.promise;
  }

  /** Calls the listener after each possible change; returns a function that removes the listener. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Saves the current record of the run. Throws NO_DISK_SPACE. */
  async save(): Promise<void> {
    await this.#file.save(() => runRecord(this.#run, systemNowUs()));
  }

  /** Resolves when all tasks are done, or running in the background. */
  async idle(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  /** Stops work on the run without ending it; the next process continues it. */
  async close(): Promise<void> {
    this.#run.freeze();
    this.#log.left();
    this.#stop();
    await this.idle();
    if (this.#saving !== undefined) await this.#saveNow();
    await this.#telemetry.close();
  }

  async #work(): Promise<void> {
    for (let tasks = this.#queue.shift(); tasks !== undefined; tasks = this.#queue.shift()) {
      for (const task of tasks) await this.#perform(task);
      for (const listener of [...this.#listeners]) listener();
    }
    this.#working = undefined;
  }

  #perform(task: RunTask): Promise<void> | void {
    const perform = this.#tasks[task.type] as (task: RunTask) => Promise<void> | void;
    return perform(task);
  }

  #stop(): void {
    this.#orders.close();
    this.#closing.abort();
    this.#funding.abort();
  }

  /** A full disk ends the run. */
  async #saveNow(): Promise<void> {
    clearTimeout(this.#saving);
    this.#saving = undefined;
    try {
      await this.save();
      if (isEnded(this.#run.state)) await this.#file.finish();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#log.notSaved(error);
      this.#run.happened({ type: 'broken', reason: 'no_disk_space' });
    }
  }

  /**
   * Computed while the load runs; needed at the end of the run, and for lost edges. `isAgain`: the rate has
   * changed since.
   */
  #drawSchedule(isAgain = false): Promise<void> {
    const before = this.#schedule;
    if (before !== undefined && !isAgain) return before;
    this.#schedule = Promise.resolve(before).then(async () => {
      const schedule = await drawSchedule(this.#run, this.#closing.signal);
      this.#run.learned({ type: 'schedule_drawn', schedule });
    });
    return this.#schedule;
  }

  async #fund(): Promise<void> {
    this.#orders.assertSound();
    await this.#telemetry.open();
    try {
      await this.#money.fund(this.#funding.signal);
    } catch (error) {
      if (this.#funding.signal.aborted) return;
      throw error;
    }
    this.#run.happened({ type: 'funded' });
  }

  async #verify(): Promise<void> {
    const verified = await this.#telemetry.verify(this.#money.chain);
    this.#run.learned({ type: 'judged', verified });
    this.#run.happened({ type: 'verified' });
  }

  /** A run ends even if its files cannot be completed. */
  async #conclude(): Promise<void> {
    try {
      await this.#completeFiles();
    } catch (error) {
      this.#log.notSealed(error);
      if (!(error instanceof DomainError)) this.#find('telemetry_failed', 'see the log');
      await this.#telemetry.close();
      this.#run.happened({ type: 'broken', reason: reasonOf(error, 'telemetry_failed') });
    } finally {
      this.#run.learned({ type: 'measured' });
    }
    await this.#money.reclaim();
    this.#run.happened({ type: 'concluded' });
  }

  async #completeFiles(): Promise<void> {
    if (this.#run.verdicts === null) {
      this.#run.learned({ type: 'judged', verified: await this.#telemetry.verify(null) });
    }
    const { startedAtUs, rates } = this.#run.facts;
    // The edges have reported since from when on the changes of the rate hold.
    if (startedAtUs !== null) await this.#drawSchedule(rates.length > 0);
    this.#run.learned({ type: 'measured' });
    await this.#telemetry.seal();
  }

  /** An expected failure ends the run; any other error ends the process. */
  #attempt(reason: RunReason, work: () => Promise<void>): void {
    void work().catch((error: unknown) => {
      if (!(error instanceof DomainError)) throw error;
      const actual = reasonOf(error, reason);
      this.#log.broken(error, actual);
      this.#find(actual, error.message);
      this.#run.happened({ type: 'broken', reason: actual });
    });
  }

  #find(code: string, message: string): void {
    this.#run.learned({ type: 'found', finding: { code, edge_id: null, message } });
  }
}

function reasonOf(error: unknown, reason: RunReason): RunReason {
  if (!(error instanceof DomainError)) return reason;
  if (error.details?.['reason'] === 'setup_failed') return 'setup_failed';
  return error.code === 'NO_DISK_SPACE' ? 'no_disk_space' : reason;
}
