import type { Leadership, Ticks } from '#graph/engine';
import { DomainError } from '#platform/foundation';
import type { ConfiguredConnector } from '../config/read-connector.ts';
import { type RunClock, systemRunClock } from '../run/run-clock.ts';
import type { StepLog } from '../run/step.ts';
import type { ConnectorRuns } from './connector-runs.ts';

const SLEEP_MS_MAX = 20 * 86_400_000;
const RETRY_MS = 10_000;
const PREFIX = 'connector/';

/** What schedules follow. */
export interface SchedulingGraph {
  /** One process executes the schedules. */
  readonly leadership: Pick<Leadership, 'isLeader' | 'onElected'>;
  readonly ticks: Pick<Ticks, 'last' | 'claim'>;
}

interface FollowedSchedule {
  /** As written in the file. */
  readonly text: string;
  readonly ended: AbortController;
}

/** A schedule until it is changed or removed, or the runs are stopped. */
interface Followed extends Pick<ConfiguredConnector, 'id' | 'schedule'> {
  readonly ended: AbortSignal;
}

/** Runs connectors by their schedules, until their runs are stopped. */
export class ConnectorSchedules {
  readonly #runs: ConnectorRuns;
  readonly #graph: SchedulingGraph;
  readonly #log: StepLog;
  readonly #clock: RunClock;
  /** Resolves at the next election of this process, or when the runs are stopped. */
  #elected = Promise.withResolvers<undefined>();
  /** The followed schedules, by connector. */
  readonly #followed = new Map<string, FollowedSchedule>();
  #isStarted = false;

  constructor(runs: ConnectorRuns, graph: SchedulingGraph, log: StepLog, clock = systemRunClock) {
    this.#runs = runs;
    this.#graph = graph;
    this.#log = log;
    this.#clock = clock;
  }

  /**
   * Starts the schedules: the first run is after one interval or when the cron expression fires, counted from
   * the last tick, of whatever process. Ticks that were missed are made up for by one run.
   */
  start(): void {
    this.#graph.leadership.onElected(() => this.#wake());
    this.#runs.stopped.addEventListener('abort', () => this.#wake());
    this.#isStarted = true;
    this.#followAll();
  }

  /** The runs that it starts. */
  get runs(): ConnectorRuns {
    return this.#runs;
  }

  /** Replaces the connectors of the runs. A schedule that is unchanged goes on. */
  configure(connectors: readonly ConfiguredConnector[]): void {
    this.#runs.configure(connectors);
    if (this.#isStarted) this.#followAll();
  }

  #followAll(): void {
    const scheduled = new Map(this.#scheduled().map((connector) => [connector.id, connector]));
    for (const [id, { text, ended }] of this.#followed) {
      if (scheduled.get(id)?.schedule.text === text) continue;
      ended.abort();
      this.#followed.delete(id);
    }
    for (const [id, { schedule }] of scheduled) {
      if (this.#followed.has(id)) continue;
      const ended = new AbortController();
      this.#followed.set(id, { text: schedule.text, ended });
      const signal = AbortSignal.any([this.#runs.stopped, ended.signal]);
      signal.addEventListener('abort', () => this.#wake());
      void this.#follow({ id, schedule, ended: signal });
    }
  }

  #wake(): void {
    this.#elected.resolve(undefined);
    this.#elected = Promise.withResolvers();
  }

  async #follow(connector: Followed): Promise<void> {
    const { leadership } = this.#graph;
    const log = this.#log;
    while (!connector.ended.aborted) {
      if (!leadership.isLeader) {
        await this.#elected.promise;
        continue;
      }
      try {
        await this.#runNext(connector);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        const fields = { event: 'connector.schedule_unknown', connector: connector.id, err: error };
        log.warn(fields, 'ticks of connectors cannot be stored');
        await this.#clock.sleep(RETRY_MS, connector.ended);
      }
    }
  }

  /** Runs the connector if it is due; otherwise sleeps until it is. */
  async #runNext({ id, schedule, ended }: Followed): Promise<void> {
    const { leadership, ticks } = this.#graph;
    const start = { atMs: this.#clock.nowMs() };
    const schedules = this.#scheduled().map((each) => ({
      name: PREFIX + each.id,
      schedule: each.schedule.text,
      start,
      nowMs: start.atMs,
    }));
    const name = PREFIX + id;
    const from = (await ticks.last(PREFIX, schedules)).get(name) ?? start;
    const dueMs = schedule.nextMs(from.atMs) ?? Infinity;
    await this.#sleepUntil(dueMs, ended);
    if (ended.aborted || !leadership.isLeader) return;
    const to = { atMs: schedule.reachedMs(from.atMs, this.#clock.nowMs()) };
    const claimed = await ticks.claim([{ name, schedule: schedule.text, from, to }]);
    // A requested run that is still running replaces the scheduled one.
    if (claimed.has(name) && !this.#runs.isRunning(id)) await this.#runOnce(id);
  }

  #scheduled(): readonly ConfiguredConnector[] {
    const nowMs = this.#clock.nowMs();
    return this.#runs.connectors.filter(({ schedule }) => schedule.nextMs(nowMs) !== undefined);
  }

  /** Bounded by the maximum delay of timers. */
  async #sleepUntil(dueMs: number, ended: AbortSignal): Promise<void> {
    for (let ms = dueMs - this.#clock.nowMs(); ms > 0 && !ended.aborted; ms = dueMs - this.#clock.nowMs()) {
      await this.#clock.sleep(Math.min(ms, SLEEP_MS_MAX), ended);
    }
  }

  async #runOnce(connectorId: string): Promise<void> {
    try {
      const { run_id: runId } = await this.#runs.start(connectorId);
      await this.#runs.wait(runId);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const fields = { event: 'connector.not_started', connector: connectorId, err: error };
      this.#log.warn(fields, 'scheduled run not started');
    }
  }
}
