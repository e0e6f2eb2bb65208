import { randomUUID } from 'node:crypto';
import { DomainError } from '#foundation';
import type { ConfiguredConnector } from '../config/read-connector.ts';
import type { GraphEntities } from '../mapping/graph-entities.port.ts';
import { type RunClock, systemRunClock } from '../run/run-clock.ts';
import type { StepLog } from '../step/step.ts';
import { NOTHING_YET, type RunReport, syncConnector } from './connector-run.ts';
import type { SyncTarget } from './sync-target.port.ts';

const RUNS_KEPT_MAX = 100;

/** A run by its name, in the words of REST. Times are RFC 3339 UTC with milliseconds. */
export interface RunRecord extends RunReport {
  /** The sync's id too. */
  readonly run_id: string;
  readonly connector_id: string;
  readonly started_at: string;
  readonly ended_at: string | null;
}

export interface ConnectorRunsParts {
  readonly connectors: readonly ConfiguredConnector[];
  readonly target: SyncTarget;
  readonly graph: GraphEntities;
  readonly log: StepLog;
  readonly clock?: RunClock;
}

interface Run {
  readonly id: string;
  readonly connectorId: string;
  readonly startedAtMs: number;
  readonly ended: Promise<unknown>;
  endedAtMs: number | undefined;
  report: () => RunReport;
}

/** The runs of configured connectors: one of each connector at a time, the last 100 remembered. */
export class ConnectorRuns {
  readonly connectors: readonly ConfiguredConnector[];
  readonly #parts: ConnectorRunsParts;
  readonly #clock: RunClock;
  readonly #stopped = new AbortController();
  readonly #runs = new Map<string, Run>();

  constructor(parts: ConnectorRunsParts) {
    this.connectors = parts.connectors;
    this.#parts = parts;
    this.#clock = parts.clock ?? systemRunClock;
  }

  /** Begins to run the connectors that have a schedule, each for the first time when its span is over. */
  startSchedules(): void {
    for (const { id, everyMs } of this.connectors) {
      if (everyMs !== undefined) void this.#runEvery(id, everyMs);
    }
  }

  /**
   * Begins a run and gives its record. Throws NOT_FOUND, and CONFLICT while that connector runs. `force` lets
   * the sync delete however much.
   */
  start(connectorId: string, options: { readonly force?: boolean } = {}): RunRecord {
    const connector = this.connectors.find(({ id }) => id === connectorId);
    if (connector === undefined) throw new DomainError('NOT_FOUND', 'no such connector');
    if (this.#isRunning(connectorId)) {
      const details = { run_id: this.#latestOf(connectorId)?.id };
      throw new DomainError('CONFLICT', `connector ${connectorId} is running`, { details });
    }
    if (this.#stopped.signal.aborted) throw new DomainError('CONFLICT', 'the service is stopping');
    return this.#begin(connector, options.force === true);
  }

  /** Throws NOT_FOUND. */
  get(runId: string): RunRecord {
    return recordOf(this.#find(runId));
  }

  /** Resolves when the run has ended. Throws NOT_FOUND. */
  async wait(runId: string): Promise<RunRecord> {
    const run = this.#find(runId);
    await run.ended;
    return recordOf(run);
  }

  latest(connectorId: string): RunRecord | undefined {
    const run = this.#latestOf(connectorId);
    return run === undefined ? undefined : recordOf(run);
  }

  /** Stops what runs: nothing more is synced but what is being synced. Resolves when all have ended. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(Array.from(this.#runs.values(), ({ ended }) => ended));
  }

  #begin(connector: ConfiguredConnector, force: boolean): RunRecord {
    const { target, graph, log } = this.#parts;
    const id = randomUUID();
    const { promise: ended, resolve } = Promise.withResolvers<unknown>();
    const startedAtMs = this.#clock.nowMs();
    const run: Run = {
      id,
      connectorId: connector.id,
      startedAtMs,
      ended,
      endedAtMs: undefined,
      report: () => NOTHING_YET,
    };
    this.#remember(run);
    log.info({ event: 'connector.started', connector: connector.id, run: id }, 'started a connector');
    void syncConnector({
      connector,
      syncId: id,
      target,
      graph,
      force,
      options: { signal: this.#stopped.signal, clock: this.#clock, log },
      onProgress: (report) => (run.report = report),
    }).then((report) => {
      this.#end(run, report);
      resolve(undefined);
    });
    return recordOf(run);
  }

  #end(run: Run, report: RunReport): void {
    run.report = () => report;
    run.endedAtMs = this.#clock.nowMs();
    const { status, reason, entities, relationships } = report;
    const fields = { event: 'connector.ended', connector: run.connectorId, run: run.id, status };
    const { log } = this.#parts;
    if (status === 'complete') log.info({ ...fields, entities, relationships }, 'a connector has synced');
    else log.warn({ ...fields, reason }, 'a connector did not see everything');
  }

  async #runEvery(connectorId: string, everyMs: number): Promise<void> {
    const { signal } = this.#stopped;
    for (;;) {
      await this.#clock.sleep(everyMs, signal);
      if (signal.aborted) return;
      // A run that was asked for and still goes on is as good.
      if (!this.#isRunning(connectorId)) await this.wait(this.start(connectorId).run_id);
    }
  }

  #find(runId: string): Run {
    const run = this.#runs.get(runId);
    if (run === undefined) throw new DomainError('NOT_FOUND', 'no such run');
    return run;
  }

  #isRunning(connectorId: string): boolean {
    const run = this.#latestOf(connectorId);
    return run !== undefined && run.endedAtMs === undefined;
  }

  #latestOf(connectorId: string): Run | undefined {
    return Array.from(this.#runs.values()).findLast((run) => run.connectorId === connectorId);
  }

  /** The oldest that have ended make room. */
  #remember(run: Run): void {
    this.#runs.set(run.id, run);
    const ended = Array.from(this.#runs.values()).filter(({ endedAtMs }) => endedAtMs !== undefined);
    for (const { id } of ended.slice(0, Math.max(0, this.#runs.size - RUNS_KEPT_MAX))) this.#runs.delete(id);
  }
}

function recordOf(run: Run): RunRecord {
  return {
    run_id: run.id,
    connector_id: run.connectorId,
    started_at: new Date(run.startedAtMs).toISOString(),
    ended_at: run.endedAtMs === undefined ? null : new Date(run.endedAtMs).toISOString(),
    ...run.report(),
  };
}
