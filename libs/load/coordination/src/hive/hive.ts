import type { Registry } from 'prom-client';
import type { Compression } from '#load/telemetry';
import { type Disk, DirectoryLock } from '#platform/disk';
import { type Clock, systemClock } from '#platform/foundation';
import type { Log } from '#platform/observability';
import { EdgeRegistry } from '../edge/edge-registry.ts';
import { EdgeSessions } from '../edge/edge-sessions.ts';
import { HiveMetrics } from '../metrics/hive-metrics.ts';
import { RunStore } from '../record/run-store.ts';
import type { Environment } from '../run/funding.ts';
import type { RunData } from '../run/run-data.ts';
import { RunDirector } from '../run/run-director.ts';
import { RUN_TIMES, type RunTimes } from '../run/run-times.ts';
import { type RunSummary, runSummary, type RunView, runView } from '../run/run-view.ts';
import { HiveEdgeGateway } from './hive-edge-gateway.ts';
import { ReportService } from './report-service.ts';

export interface HiveSettings {
  readonly dataDir: string;
  /** An edge that is silent for so many milliseconds is lost. */
  readonly edgeLossTimeout: number;
  /** Of telemetry files. */
  readonly compression: Compression;
  /** Runs that ended longer ago, in milliseconds, are deleted. */
  readonly retention: number;
  /** Of more runs than these the oldest are deleted. */
  readonly runsMax: number;
}

export interface HiveOptions {
  readonly settings: HiveSettings;
  /** Of which scenarios may name variables. */
  readonly environment: Environment;
  readonly log: Log;
  readonly registry: Registry;
  readonly disk: Disk;
  readonly clock?: Clock;
  readonly times?: Partial<RunTimes>;
}

/** A part of the list of runs. */
export interface RunPage {
  readonly runs: readonly RunSummary[];
  /** Not on the last page. */
  readonly next_cursor?: string;
}

/** The coordinator itself: edges, runs and reports, without a transport. */
export class Hive {
  readonly sessions: EdgeSessions;
  readonly gateway: HiveEdgeGateway;
  readonly runs: RunDirector;
  readonly reports: ReportService;
  readonly #lock: DirectoryLock;

  /**
   * Opens the data directory. A run that had not ended goes on. Throws STORE_LOCKED when another process has
   * it, STORE_CORRUPT, SCENARIO_INVALID when a variable of that run is not there any more.
   */
  static async open(options: HiveOptions): Promise<Hive> {
    const { settings, disk, clock = systemClock } = options;
    const { dataDir: directory } = settings;
    await disk.makeDirectory(directory);
    const lock = await DirectoryLock.acquire(disk, directory, options.log);
    try {
      const edges = await EdgeRegistry.open({ disk, directory, clock });
      const hive = new Hive(options, edges, { store: new RunStore(disk, directory), lock });
      await hive.runs.open();
      return hive;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  private constructor(
    options: HiveOptions,
    edges: EdgeRegistry,
    { store, lock }: { readonly store: RunStore; readonly lock: DirectoryLock },
  ) {
    const { settings, environment, log, registry, clock = systemClock } = options;
    const times = { ...RUN_TIMES, edgeLossMs: settings.edgeLossTimeout, ...options.times };
    this.#lock = lock;
    this.sessions = new EdgeSessions(edges, clock);
    const metrics = new HiveMetrics(registry, {
      sessions: this.sessions,
      run: () => this.runs.active?.runData,
      latest: () => this.runs.latest,
    });
    this.runs = new RunDirector({
      registry: edges,
      sessions: this.sessions,
      ...{ times, log, store, environment },
      compression: settings.compression,
      retention: { keptMs: settings.retention, runsMax: settings.runsMax },
      onViolations: (runData) => metrics.violated(runData),
    });
    const { sessions, runs } = this;
    this.gateway = new HiveEdgeGateway({
      registry: edges,
      sessions,
      runs,
      heartbeatMs: times.heartbeatMs,
      log,
    });
    this.reports = new ReportService(this.runs);
  }

  /** Throws NOT_FOUND. */
  view(runId: string): RunView {
    return runView(this.runs.get(runId), this.#runDataOf(runId));
  }

  /** Runs, the latest first, from the one after `cursor` on. Throws INVALID_REQUEST. */
  list(limit: number, cursor?: string): RunPage {
    const { records, next } = this.runs.page(limit, cursor);
    const runs = records.map((record) => runSummary(record, this.#runDataOf(record.run_id)));
    return { runs, ...(next !== null && { next_cursor: next }) };
  }

  /** Throws NOT_FOUND, RUN_ACTIVE, STORE_UNAVAILABLE. */
  async remove(runId: string): Promise<void> {
    await this.runs.remove(runId);
  }

  /** Of a run that goes on. */
  #runDataOf(runId: string): RunData | undefined {
    const runData = this.runs.active?.runData;
    return runData?.runId === runId ? runData : undefined;
  }

  /** Leaves everything as it is on disk, for the next process. */
  async close(): Promise<void> {
    await this.runs.close();
    await this.#lock.release();
  }
}
