import { buildReport, compareReports, type ReportComparison, type Report } from '#load/report';
import type { Compression } from '#load/telemetry';
import type { AuditedChanges, AuditTrail } from '#platform/audit';
import { DataDirectory, type Disk } from '#platform/disk';
import { type Clock, systemClock } from '#platform/foundation';
import type { Log } from '#platform/observability';
import { EdgeRegistry } from '../edge/edge-registry.ts';
import { EdgeSessions } from '../edge/edge-sessions.ts';
import { RecentLoad, type RecentLoadView } from '../live/recent-load.ts';
import { RunStore } from '../record/run-store.ts';
import type { FundingEnvironment } from '../run/funding.ts';
import { RunService } from '../run/run-service.ts';
import { type RunSummary, runSummary, type RunView, runView } from '../run/run-view.ts';
import { RUN_TIMES, type RunTimes } from '../run/run-watchdog.ts';
import type { Run } from '../run/run.ts';
import { RunWebhooks } from '../webhook/run-webhooks.ts';
import { HiveEdgeGateway } from './hive-edge-gateway.ts';

const US_PER_S = 1_000_000;
/** The edges' counter of failures by class. */
const FAILURES = 'plexus_tx_failed_total';

/** Reports of ended runs. Concurrent requests for the same report share one build. */
class ReportService {
  readonly #runs: RunService;
  readonly #disk: Disk;
  readonly #making = new Map<string, Promise<Report>>();

  constructor(runs: RunService, disk: Disk) {
    this.#runs = runs;
    this.#disk = disk;
  }

  /** Rejects as `buildReport` does. */
  of(runId: string): Promise<Report> {
    const making = this.#making.get(runId) ?? this.#make(runId);
    this.#making.set(runId, making);
    return making.finally(() => this.#making.delete(runId));
  }

  async compare(baseId: string, headId: string): Promise<ReportComparison> {
    const [base, head] = await Promise.all([this.of(baseId), this.of(headId)]);
    return compareReports(base, head);
  }

  /** First completes the files of a run that ended on a full disk. */
  async #make(runId: string): Promise<Report> {
    await this.#runs.completeFiles(runId);
    return buildReport(this.#disk, this.#runs.directoryOf(runId));
  }
}

export interface HiveSettings {
  readonly dataDir: string;
  /** Time without contact, in ms, after which an edge is lost. */
  readonly edgeLossTimeout: number;
  /** Compression of telemetry files. */
  readonly compression: Compression;
  /** Time after the end, in ms, after which a run is deleted; 0 is unlimited. */
  readonly retention: number;
  /** Number of ended runs above which the oldest are deleted; 0 is unlimited. */
  readonly runsMax: number;
}

interface HiveOptions {
  readonly settings: HiveSettings;
  /** Environment whose variables a scenario can name. */
  readonly environment: FundingEnvironment;
  readonly log: Log;
  readonly disk: Disk;
  /** Takes the event of each change. */
  readonly audit: AuditedChanges;
  /** Takes the event of each edge whose certificate is refused. */
  readonly edgeAudit?: Pick<AuditTrail, 'refusal'> | undefined;
  readonly clock?: Clock;
  readonly times?: Partial<RunTimes>;
}

type HiveParts = Pick<Hive, 'sessions' | 'runs' | 'gateway' | 'reports' | 'webhooks'> & {
  readonly claim: DataDirectory;
};

/** A page of the list of runs. */
export interface RunPage {
  readonly runs: readonly RunSummary[];
  /** Missing on the last page. */
  readonly next_cursor?: string;
}

/** The coordinator: edges, runs and reports, independent of the transport. */
export class Hive {
  readonly sessions: EdgeSessions;
  readonly gateway: HiveEdgeGateway;
  readonly runs: RunService;
  readonly reports: ReportService;
  readonly webhooks: RunWebhooks;
  readonly #recent = new RecentLoad();
  readonly #claim: DataDirectory;

  /**
   * Opens the data directory, and resumes the runs that have not ended. Throws STORE_LOCKED if another
   * process holds the directory, STORE_CORRUPT, SCENARIO_INVALID if a variable of theirs is no longer set.
   */
  static async open(options: HiveOptions): Promise<Hive> {
    const { settings, disk, clock = systemClock } = options;
    const { dataDir: directory } = settings;
    const claim = await DataDirectory.claim(disk, directory, { owner: 'hive', log: options.log });
    try {
      const edges = await EdgeRegistry.open({ disk, directory, clock });
      const hive = Hive.#of(options, new EdgeSessions(edges, clock), claim);
      await hive.runs.open();
      await hive.webhooks.resume(hive.runs.list());
      return hive;
    } catch (error) {
      await claim.undo();
      throw error;
    }
  }

  static #of(options: HiveOptions, sessions: EdgeSessions, claim: DataDirectory): Hive {
    const { settings, environment, disk, audit, edgeAudit, log } = options;
    const { edgeLossTimeout: edgeLossMs, compression, retention: keptMs, runsMax } = settings;
    const times = { ...RUN_TIMES, edgeLossMs, ...options.times };
    const runSettings = { times, environment, compression, retention: { keptMs, runsMax }, audit };
    const runs = new RunService(disk, new RunStore(disk, settings.dataDir), sessions, runSettings, log);
    const { heartbeatMs } = times;
    const gateway = new HiveEdgeGateway({ sessions, runs, heartbeatMs, audit, edgeAudit, log });
    const reports = new ReportService(runs, disk);
    const webhooks = new RunWebhooks({
      disk,
      directoryOf: (runId) => runs.directoryOf(runId),
      reportOf: (runId) => reports.of(runId),
      environment,
      clock: options.clock ?? systemClock,
      log,
      retryMs: times.webhookRetryMs,
    });
    runs.observe(webhooks);
    return new Hive({ sessions, runs, gateway, reports, webhooks, claim });
  }

  private constructor({ claim, ...parts }: HiveParts) {
    this.sessions = parts.sessions;
    this.runs = parts.runs;
    this.gateway = parts.gateway;
    this.reports = parts.reports;
    this.webhooks = parts.webhooks;
    this.#claim = claim;
  }

  /** Throws NOT_FOUND. */
  view(runId: string): RunView {
    return runView(this.runs.get(runId), this.#active(runId), this.webhooks.stateOf(runId));
  }

  /** The load of the last minute, sampled by these calls. Throws NOT_FOUND. */
  recentLoad(runId: string, nowUs: number): RecentLoadView {
    this.runs.get(runId);
    const run = this.#active(runId);
    if (run !== undefined && run.facts.startedAtUs !== null) {
      const elapsedS = Math.max(0, (nowUs - run.facts.startedAtUs) / US_PER_S);
      this.#recent.note(runId, nowUs, () => ({
        elapsedS,
        figures: run.figures(nowUs),
        edges: Array.from(run.facts.participants.keys(), (edgeId) => ({
          edgeId,
          tally: run.tallyOf(edgeId),
        })),
        failures: failuresOf(this.sessions, run),
      }));
    }
    return this.#recent.of(runId);
  }

  /** The runs after `cursor`, latest first. Throws INVALID_REQUEST. */
  list(limit: number, cursor?: string): RunPage {
    const { records, next } = this.runs.page(limit, cursor);
    const runs = records.map((record) => runSummary(record, this.#active(record.run_id)));
    return { runs, ...(next !== null && { next_cursor: next }) };
  }

  /** The run, if it is active. */
  #active(runId: string): Run | undefined {
    return this.runs.activeOf(runId)?.run;
  }

  /** Leaves all data on disk for the next process; after a failed start, no new directory without data. */
  async close({ isStarted = true }: { readonly isStarted?: boolean } = {}): Promise<void> {
    await this.runs.close();
    await this.webhooks.close();
    await (isStarted ? this.#claim.release() : this.#claim.undo());
  }
}

/** Failures by class, as counted by the edges of a run since their own start. */
function failuresOf(sessions: EdgeSessions, run: Run): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { registration, session } of sessions.list()) {
    if (!run.facts.participants.has(registration.edgeId)) continue;
    for (const { name, labels, value } of session.heartbeat?.samples ?? []) {
      const failure = labels['class'];
      if (name !== FAILURES || failure === undefined || !/^[a-z_]{1,64}$/.test(failure)) continue;
      counts.set(failure, (counts.get(failure) ?? 0) + value);
    }
  }
  return counts;
}
