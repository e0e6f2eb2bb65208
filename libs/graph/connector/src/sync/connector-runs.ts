import { randomUUID } from 'node:crypto';
import { nameHint } from '#platform/config';
import { DomainError } from '#platform/foundation';
import type { ConfiguredConnector } from '../config/read-connector.ts';
import type { GraphEntities } from '../run/graph-entities.port.ts';
import { type RunClock, systemRunClock } from '../run/run-clock.ts';
import type { StepLog } from '../run/step.ts';
import { NOTHING_YET, type RunReport, syncConnector } from './connector-run.ts';
import { ConnectorSync } from './connector-sync.ts';
import { type CursorPlace, cursorsId } from './run-cursors.ts';
import {
  NAMESPACE,
  type RunDocuments,
  RunHistory,
  type RunLeases,
  type RunListener,
  type RunRecord,
} from './run-history.ts';
import type { SyncTarget } from './sync-target.port.ts';

export interface ConnectorRunsOptions {
  readonly connectors: readonly ConfiguredConnector[];
  readonly target: SyncTarget;
  readonly graph: GraphEntities;
  readonly documents: RunDocuments;
  readonly log: StepLog;
  readonly clock?: RunClock;
  /** Default: no other process runs connectors. */
  readonly leases?: RunLeases | undefined;
}

/** A running run. */
interface OpenRun {
  readonly id: string;
  readonly connector: ConfiguredConnector;
  readonly force: boolean;
  readonly startedAtMs: number;
  readonly ended: PromiseWithResolvers<undefined>;
  readonly stopped: AbortController;
  report: () => RunReport;
}

/**
 * The runs of configured connectors, one per connector at a time. The last 50 of each are stored; a run whose
 * process ended is `interrupted`.
 */
export class ConnectorRuns {
  readonly #documents: RunDocuments;
  readonly #sync: ConnectorSync;
  readonly #log: StepLog;
  readonly #clock: RunClock;
  readonly #history: RunHistory;
  readonly #stopped = new AbortController();
  #connectors: readonly ConfiguredConnector[];
  /** The open run of each connector. */
  readonly #open = new Map<string, OpenRun>();

  static async open(options: ConnectorRunsOptions): Promise<ConnectorRuns> {
    const { target, graph, documents, clock = systemRunClock } = options;
    const { leases = ALONE } = options;
    const lastSync = (connectorId: string): ReturnType<SyncTarget['lastSync']> =>
      target.lastSync(connectorId);
    const nowMs = (): number => clock.nowMs();
    const history = await RunHistory.open({ documents, nowMs, lastSync, leases });
    return new ConnectorRuns(options, new ConnectorSync(target, graph), history, clock);
  }

  private constructor(
    { connectors, documents, log }: ConnectorRunsOptions,
    sync: ConnectorSync,
    history: RunHistory,
    clock: RunClock,
  ) {
    this.#connectors = connectors;
    this.#documents = documents;
    this.#sync = sync;
    this.#history = history;
    this.#clock = clock;
    this.#log = log;
  }

  get connectors(): readonly ConfiguredConnector[] {
    return this.#connectors;
  }

  /** Replaces the connectors. A run in progress ends with the settings with which it began. */
  configure(connectors: readonly ConfiguredConnector[]): void {
    this.#connectors = connectors;
  }

  /** Stores what `listener` has to say about the end of each later run together with it. */
  onRunEnded(listener: RunListener): void {
    this.#history.onEnded(listener);
  }

  /**
   * Starts a run and returns its record once that is durable. Throws NOT_FOUND, and CONFLICT while the
   * connector is running. `force` disables the deletion limit of the sync.
   */
  async start(connectorId: string, options: { readonly force?: boolean } = {}): Promise<RunRecord> {
    const connector = this.#connector(connectorId);
    const other = this.#open.get(connectorId);
    if (other !== undefined) {
      const details = { run_id: other.id };
      throw new DomainError('CONFLICT', `connector ${connectorId} is running`, { details });
    }
    if (this.#stopped.signal.aborted) throw new DomainError('CONFLICT', 'the service is stopping');
    return this.#begin(connector, options.force === true);
  }

  /** Throws NOT_FOUND. */
  get(runId: string): RunRecord {
    const run = this.#openRun(runId);
    const record = run === undefined ? this.#history.find(runId) : recordOf(run);
    if (record === undefined) throw new DomainError('NOT_FOUND', 'no such run');
    return record;
  }

  /** Resolves when the run has ended. Throws NOT_FOUND. */
  async wait(runId: string): Promise<RunRecord> {
    await this.#openRun(runId)?.ended.promise;
    return this.get(runId);
  }

  /**
   * Stops a run of this process: it syncs nothing, unless its sync has begun. Resolves to its record once it
   * has ended. Throws NOT_FOUND, and CONFLICT if another node runs it; an ended run stays as it is.
   */
  async cancel(runId: string): Promise<RunRecord> {
    const run = this.#openRun(runId);
    if (run === undefined) {
      const record = this.get(runId);
      if (record.ended_at !== null) return record;
      throw new DomainError('CONFLICT', 'another node executes the run: stop it there');
    }
    run.stopped.abort();
    return this.wait(runId);
  }

  /** Newest first. Throws NOT_FOUND for a connector that is not configured. */
  list(connectorId: string): readonly RunRecord[] {
    const { id } = this.#connector(connectorId);
    const run = this.#open.get(id);
    const running = run === undefined ? this.#history.elsewhere(id) : recordOf(run);
    return [...(running === undefined ? [] : [running]), ...this.#history.list(id)];
  }

  latest(connectorId: string): RunRecord | undefined {
    return this.list(connectorId)[0];
  }

  /** Runs in this process. */
  isRunning(connectorId: string): boolean {
    return this.#open.has(connectorId);
  }

  /** Aborted once no further run may start. */
  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  /** Stops all runs, except syncs in progress. Resolves when all have ended. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(Array.from(this.#open.values(), ({ ended }) => ended.promise));
  }

  async #begin(connector: ConfiguredConnector, force: boolean): Promise<RunRecord> {
    const run: OpenRun = {
      id: randomUUID(),
      connector,
      force,
      startedAtMs: this.#clock.nowMs(),
      ended: Promise.withResolvers(),
      stopped: new AbortController(),
      report: () => NOTHING_YET,
    };
    this.#open.set(connector.id, run);
    try {
      await this.#history.claim(connector.id);
      const stored = await this.#documents.get(NAMESPACE, cursorsId(connector.id));
      await this.#history.begin(recordOf(run));
      void this.#run(run, { namespace: NAMESPACE, stored, isAnew: force });
    } catch (error) {
      this.#close(run);
      throw error;
    }
    return recordOf(run);
  }

  async #run(run: OpenRun, cursors: CursorPlace): Promise<void> {
    const sync = this.#sync;
    const log = this.#log;
    const { id: syncId, connector, force } = run;
    log.info({ event: 'connector.started', connector: connector.id, run: syncId }, 'connector started');
    const signal = AbortSignal.any([this.#stopped.signal, run.stopped.signal]);
    const options = { signal, clock: this.#clock, log };
    const onProgress = (report: () => RunReport): void => {
      run.report = report;
    };
    const key = { connector_id: connector.id, run_id: syncId };
    const isOpen = (): boolean => this.#history.isOpen(key);
    const parts = { connector, syncId, sync, cursors, force, isOpen, options, onProgress };
    const report = await syncConnector(parts);
    run.report = () => report;
    this.#logEnd(run, report);
    await this.#remember({ ...recordOf(run), ended_at: new Date(this.#clock.nowMs()).toISOString() });
    this.#close(run);
  }

  /** A store that rejects writes has rejected the sync as well, and logged it. */
  async #remember(record: RunRecord): Promise<void> {
    try {
      await this.#history.end(record);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const fields = { event: 'connector.run_not_kept', run: record.run_id, err: error };
      this.#log.warn(fields, 'end of a run not stored');
    }
  }

  #close(run: OpenRun): void {
    this.#open.delete(run.connector.id);
    void this.#history.release(run.connector.id);
    run.ended.resolve(undefined);
  }

  #logEnd({ id, connector }: OpenRun, { status, reason, entities, relationships }: RunReport): void {
    const fields = { event: 'connector.ended', connector: connector.id, run: id, status };
    const log = this.#log;
    if (status === 'complete') log.info({ ...fields, entities, relationships }, 'connector synced');
    else log.warn({ ...fields, reason }, 'connector run incomplete');
  }

  #connector(connectorId: string): ConfiguredConnector {
    const connector = this.#connectors.find(({ id }) => id === connectorId);
    if (connector !== undefined) return connector;
    const known = this.#connectors.map(({ id }) => id).sort();
    throw new DomainError('NOT_FOUND', `no such connector: ${nameHint(connectorId, known)}`);
  }

  #openRun(runId: string): OpenRun | undefined {
    return [...this.#open.values()].find(({ id }) => id === runId);
  }
}

const ALONE: RunLeases = { hold: () => Promise.resolve(true), release: () => Promise.resolve() };

function recordOf(run: OpenRun): RunRecord {
  return {
    run_id: run.id,
    connector_id: run.connector.id,
    started_at: new Date(run.startedAtMs).toISOString(),
    ended_at: null,
    ...run.report(),
  };
}
