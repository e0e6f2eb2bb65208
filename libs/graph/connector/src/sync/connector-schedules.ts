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

/** Runs connectors by their schedules, until their runs are stopped. */
export class ConnectorSchedules {
  readonly #runs: ConnectorRuns;
  readonly #graph: SchedulingGraph;
  readonly #log: StepLog;
  readonly #clock: RunClock;
  /** Resolves at the next election of this process, or when the runs are stopped. */
  #elected = Promise.withResolvers<undefined>();

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
    for (const connector of this.#scheduled()) void this.#follow(connector);
  }

  #wake(): void {
    this.#elected.resolve(undefined);
    this.#elected = Promise.withResolvers();
  }

  async #follow(connector: ConfiguredConnector): Promise<void> {
    const { leadership } = this.#graph;
    const log = this.#log;
    while (!this.#runs.stopped.aborted) {
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
        await this.#clock.sleep(RETRY_MS, this.#runs.stopped);
      }
    }
  }

  /** Runs the connector if it is due; otherwise sleeps until it is. */
  async #runNext({ id, schedule }: ConfiguredConnector): Promise<void> {
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
    await this.#sleepUntil(dueMs);
    if (this.#runs.stopped.aborted || !leadership.isLeader) return;
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
  async #sleepUntil(dueMs: number): Promise<void> {
    const { stopped } = this.#runs;
    for (let ms = dueMs - this.#clock.nowMs(); ms > 0 && !stopped.aborted; ms = dueMs - this.#clock.nowMs()) {
      await this.#clock.sleep(Math.min(ms, SLEEP_MS_MAX), stopped);
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
