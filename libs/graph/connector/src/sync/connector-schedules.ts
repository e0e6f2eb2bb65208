import { DomainError } from '#platform/foundation';
import type { ConnectorSchedule } from '../config/connector-schedule.ts';
import type { ConfiguredConnector } from '../config/read-connector.ts';
import { type RunClock, systemRunClock } from '../run/run-clock.ts';
import type { StepLog } from '../run/step.ts';
import type { ConnectorRuns } from './connector-runs.ts';

const SLEEP_MS_MAX = 20 * 86_400_000;

export interface ConnectorSchedulesOptions {
  readonly runs: ConnectorRuns;
  /** Whether this process executes the schedules. */
  readonly isLeader: () => boolean;
  readonly log: StepLog;
  readonly clock?: RunClock;
}

/** Runs connectors by their schedules, until their runs are stopped. */
export class ConnectorSchedules {
  readonly #runs: ConnectorRuns;
  readonly #isLeader: () => boolean;
  readonly #log: StepLog;
  readonly #clock: RunClock;

  constructor({ runs, isLeader, log, clock = systemRunClock }: ConnectorSchedulesOptions) {
    this.#runs = runs;
    this.#isLeader = isLeader;
    this.#log = log;
    this.#clock = clock;
  }

  /**
   * Starts the schedules: the first run is after one interval or when the cron expression fires. Runs missed
   * while no process was running are not made up for.
   */
  start(): void {
    for (const connector of this.#runs.connectors) void this.#follow(connector);
  }

  async #follow({ id, schedule }: ConfiguredConnector): Promise<void> {
    for (let dueMs = this.#next(schedule); dueMs !== undefined; dueMs = this.#next(schedule)) {
      await this.#sleepUntil(dueMs);
      if (this.#runs.stopped.aborted) return;
      // A requested run that is still running replaces the scheduled one.
      if (this.#isLeader() && !this.#runs.isRunning(id)) await this.#runOnce(id);
    }
  }

  #next({ nextMs }: ConnectorSchedule): number | undefined {
    return nextMs(this.#clock.nowMs());
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
