import { assert } from '#platform/foundation';
import type { LineRelay } from '#platform/observability';
import type { CallOff, EndpointAvailability, Timers } from '../cluster/target/cluster-context.ts';
import type { DrainTimes, TrafficSnapshot } from '../plane/data-plane.port.ts';
import type { WorkerSnapshot } from '../source/snapshot.ts';
import { ProcessEnded } from './process-channel.ts';
import { sumTraffic, withoutGauges } from './traffic-sums.ts';
import type { MainMethods, WorkerMethods, WorkerReport, WorkerSetup } from './worker-protocol.ts';
import { WorkerProcess } from './worker-process.ts';

const ANSWER_MS_MAX = 2_000;
/** A worker that does not answer within this many seconds is killed, so that it cannot block the others. */
const STUCK_SECONDS = 10;
/** The answer to `begin` includes the start of the process. */
const BEGIN_SECONDS = 20;
const SECOND_MS = 1_000;

export interface WorkerSlotParts {
  readonly setup: WorkerSetup;
  readonly own: MainMethods;
  readonly relay: LineRelay;
  readonly timers: Timers;
  /** A process has ended unexpectedly. */
  readonly onExit: (slot: WorkerSlot, reason: string) => void;
}

/** `drain` takes as long as its caller allows. */
type BoundedMethod = Exclude<keyof WorkerMethods, 'drain'>;
type Asked<Method extends keyof WorkerMethods> = Awaited<ReturnType<WorkerMethods[Method]>> | undefined;

/**
 * The place of one worker, with the counts of all its processes: the last report of an ended process is kept,
 * so that no counter decreases.
 */
export class WorkerSlot {
  readonly number: number;
  readonly #parts: WorkerSlotParts;
  #process: WorkerProcess | undefined;
  #last: WorkerReport | undefined;
  #past: TrafficSnapshot | undefined;
  #looking: Promise<void> | undefined;
  #lookingNext: Promise<void> | undefined;
  #exits = 0;
  /** Why the process is being killed; undefined when it ended by itself. */
  #stuckReason: string | undefined;
  #isAnswering = true;
  #isFollowing = false;
  #isServing = false;
  #isEnding = false;

  constructor(parts: WorkerSlotParts) {
    this.number = parts.setup.place.index + 1;
    this.#parts = parts;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  /** Whether it has a configuration and receives changes. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  get isServing(): boolean {
    return this.#isServing;
  }

  get exits(): number {
    return this.#exits;
  }

  /** Starts a process; none may be running. Returns false when it has ended before it could begin. */
  async spawn(): Promise<boolean> {
    assert(this.#process === undefined, 'expected a worker to end before another one takes its place');
    const { own, relay, setup } = this.#parts;
    const process = new WorkerProcess(own, relay);
    this.#process = process;
    void process.ended.then((reason) => this.#noteEnd(reason));
    await this.ask('begin', setup);
    return this.#process === process;
  }

  /**
   * Calls the process; undefined when none runs, or when it ends before it answers. A process that does not
   * answer in time is killed.
   */
  async ask<Method extends BoundedMethod>(
    method: Method,
    ...args: Parameters<WorkerMethods[Method]>
  ): Promise<Asked<Method>> {
    const seconds = method === 'begin' ? BEGIN_SECONDS : STUCK_SECONDS;
    const callOff = this.#afterSeconds(seconds, () =>
      this.kill(`no answer to ${method} within ${seconds} s`),
    );
    return this.#call(method, ...args).finally(callOff);
  }

  drain(times: DrainTimes): Promise<Asked<'drain'>> {
    return this.#call('drain', times);
  }

  async #call<Method extends keyof WorkerMethods>(
    method: Method,
    ...args: Parameters<WorkerMethods[Method]>
  ): Promise<Asked<Method>> {
    const { channel } = this.#process ?? {};
    if (channel === undefined) return undefined;
    try {
      const call = channel.call.bind(channel) as (
        name: Method,
        ...rest: typeof args
      ) => Promise<Asked<Method>>;
      return await call(method, ...args);
    } catch (error) {
      if (error instanceof ProcessEnded) return undefined;
      throw error;
    }
  }

  /** Activates the prepared configuration. Returns false when the process has ended. */
  async commit(found: readonly EndpointAvailability[]): Promise<boolean> {
    this.#isFollowing = this.isRunning;
    await this.ask('commit', found);
    this.#isServing = this.isRunning;
    this.#isAnswering = true;
    return this.#isServing;
  }

  /** Requests the current counts; resolves after a while when the process does not answer. */
  async look(): Promise<void> {
    if (this.#looking === undefined) {
      this.#looking = this.#look().finally(() => (this.#looking = undefined));
      await this.#answered(this.#looking);
      return;
    }
    // A request in progress may have been answered with older counts.
    this.#lookingNext ??= this.#looking.then(() => {
      this.#lookingNext = undefined;
      return this.look();
    });
    await this.#answered(this.#lookingNext);
  }

  /** The known counts, including those of ended processes. */
  get traffic(): readonly TrafficSnapshot[] {
    return [this.#last?.traffic, this.#past].filter((each) => each !== undefined);
  }

  get snapshot(): WorkerSnapshot {
    const { traffic, cpuSeconds = 0, residentBytes = 0 } = this.#last ?? {};
    return {
      number: this.number,
      pid: this.pid,
      isServing: this.#isServing && this.#isAnswering,
      exits: this.#exits,
      cxActive: traffic?.downstreamCxActive ?? 0,
      cpuSeconds,
      residentBytes,
    };
  }

  /** Drops the counts of ended processes for entries that no longer exist. */
  prune(isThere: (cluster: string, address: string) => boolean): void {
    if (this.#past === undefined) return;
    const clusters = this.#past.clusters.map((cluster) => ({
      ...cluster,
      endpoints: cluster.endpoints.filter(({ address }) => isThere(cluster.name, address)),
    }));
    this.#past = { ...this.#past, clusters: clusters.filter(({ endpoints }) => endpoints.length > 0) };
  }

  /** The reason is reported as that of the exit; default: the signal. */
  kill(reason?: string): void {
    this.#stuckReason = reason;
    this.#process?.kill();
  }

  /** Ends the process; no further one is started. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#process?.end();
  }

  async #look(): Promise<void> {
    const process = this.#process;
    const report = await this.ask('report');
    if (report === undefined || process !== this.#process) return;
    this.#last = report;
    this.#isAnswering = true;
  }

  /** Limits the wait for a stuck worker; its last report is used. */
  async #answered(looking: Promise<void>): Promise<void> {
    const late = Promise.withResolvers<undefined>();
    const callOff = this.#parts.timers.after(ANSWER_MS_MAX, () => {
      this.#isAnswering = false;
      late.resolve(undefined);
    });
    await Promise.race([looking, late.promise]);
    callOff();
  }

  /** Counts whole seconds: the time during which this process itself was suspended counts as one. */
  #afterSeconds(seconds: number, run: () => void): CallOff {
    const { timers } = this.#parts;
    const tick = (left: number): CallOff =>
      timers.after(SECOND_MS, left === 1 ? run : () => (callOff = tick(left - 1)));
    let callOff = tick(seconds);
    return () => callOff();
  }

  #noteEnd(ended: string): void {
    const stuckReason = this.#stuckReason;
    this.#stuckReason = undefined;
    this.#process = undefined;
    this.#isFollowing = false;
    this.#isServing = false;
    if (this.#last !== undefined) {
      const ended = withoutGauges(this.#last.traffic);
      this.#past = this.#past === undefined ? ended : sumTraffic([ended, this.#past], 'all');
      this.#last = undefined;
    }
    if (this.#isEnding && stuckReason === undefined) return;
    this.#exits += 1;
    this.#parts.onExit(this, stuckReason ?? ended);
  }
}
