import { assert } from '#platform/foundation';
import type { LineRelay } from '#platform/observability';
import type { EndpointAvailability, Timers } from '../cluster/target/cluster-surroundings.ts';
import type { TrafficSnapshot } from '../plane/data-plane.port.ts';
import type { WorkerSnapshot } from '../source/snapshot.ts';
import { ProcessEnded } from './process-channel.ts';
import { sumTraffic, withoutGauges } from './traffic-sums.ts';
import type { MainMethods, WorkerMethods, WorkerReport, WorkerSetup } from './worker-protocol.ts';
import { WorkerProcess } from './worker-process.ts';

const ANSWER_MS_MAX = 2_000;

export interface WorkerSlotParts {
  readonly setup: WorkerSetup;
  readonly own: MainMethods;
  readonly relay: LineRelay;
  readonly timers: Timers;
  /** A process has ended by itself. */
  readonly onExit: (slot: WorkerSlot, reason: string) => void;
}

type Asked<Method extends keyof WorkerMethods> = Awaited<ReturnType<WorkerMethods[Method]>> | undefined;

/**
 * The place of one worker, and what all its processes have counted: of one that has ended, its last report is
 * kept, so that no counter falls.
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

  /** It was given a configuration, and is told of what changes. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  get isServing(): boolean {
    return this.#isServing;
  }

  get exits(): number {
    return this.#exits;
  }

  /** Starts a process; there may be none. Gives false when it has ended before it could begin. */
  async spawn(): Promise<boolean> {
    assert(this.#process === undefined, 'expected a worker to end before another one takes its place');
    const { own, relay, setup } = this.#parts;
    const process = new WorkerProcess(own, relay);
    this.#process = process;
    void process.ended.then((reason) => this.#noteEnd(reason));
    await this.ask('begin', setup);
    return this.#process === process;
  }

  /** Calls the process; undefined when there is none, or when it ends before it answers. */
  async ask<Method extends keyof WorkerMethods>(
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

  /** Has it hold the configuration that it has prepared. Gives false when it has ended. */
  async commit(found: readonly EndpointAvailability[]): Promise<boolean> {
    this.#isFollowing = this.isRunning;
    await this.ask('commit', found);
    this.#isServing = this.isRunning;
    this.#isAnswering = true;
    return this.#isServing;
  }

  /** Has it tell what it has counted up to now; resolves after a while when it does not answer. */
  async look(): Promise<void> {
    if (this.#looking === undefined) {
      this.#looking = this.#look().finally(() => (this.#looking = undefined));
      await this.#answered(this.#looking);
      return;
    }
    // What is under way may have been told already.
    this.#lookingNext ??= this.#looking.then(() => {
      this.#lookingNext = undefined;
      return this.look();
    });
    await this.#answered(this.#lookingNext);
  }

  /** What is known to be counted, by processes that have ended too. */
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

  /** Forgets what ended processes have counted for what `isThere` does not have any more. */
  prune(isThere: (cluster: string, address: string) => boolean): void {
    if (this.#past === undefined) return;
    const clusters = this.#past.clusters.map((cluster) => ({
      ...cluster,
      endpoints: cluster.endpoints.filter(({ address }) => isThere(cluster.name, address)),
    }));
    this.#past = { ...this.#past, clusters: clusters.filter(({ endpoints }) => endpoints.length > 0) };
  }

  kill(): void {
    this.#process?.kill();
  }

  /** No other process comes after it. */
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

  /** Who waits for a worker that is stuck goes on with what was told before. */
  async #answered(looking: Promise<void>): Promise<void> {
    const late = Promise.withResolvers<undefined>();
    const callOff = this.#parts.timers.after(ANSWER_MS_MAX, () => {
      this.#isAnswering = false;
      late.resolve(undefined);
    });
    await Promise.race([looking, late.promise]);
    callOff();
  }

  #noteEnd(reason: string): void {
    this.#process = undefined;
    this.#isFollowing = false;
    this.#isServing = false;
    if (this.#last !== undefined) {
      const ended = withoutGauges(this.#last.traffic);
      this.#past = this.#past === undefined ? ended : sumTraffic([ended, this.#past], 'all');
      this.#last = undefined;
    }
    if (this.#isEnding) return;
    this.#exits += 1;
    this.#parts.onExit(this, reason);
  }
}
