import { randomBytes } from 'node:crypto';
import {
  type EdgeAnswer,
  type EdgeProgress,
  type EdgeRegistration,
  type ReceivedBatch,
  systemNowUs,
} from '#load/protocol';
import { hasSecretUrls, parseScenario, redactedText, targetUrls } from '#load/scenario';
import type { Compression, EdgeInstance } from '#load/telemetry';
import { DomainError } from '#platform/foundation';
import { givenUp } from '../record/given-up-run.ts';
import type { RunRecord } from '../record/run-record.ts';
import { expiredRuns, type Retention } from '../record/run-retention.ts';
import { isEnded } from '../record/run-state.ts';
import type { RunStore } from '../record/run-store.ts';
import { ActiveRun, type RunSurroundings } from './active-run.ts';
import { type Environment, openWallet } from './funding.ts';
import { RunData } from './run-data.ts';
import { outcomesOf, runRecord, runDataOf } from './run-documents.ts';
import type { RunEvent } from './run-event.ts';
import { newRunId } from './run-id.ts';
import { drawSchedule } from './run-schedule.ts';
import { RunTelemetryLink } from './run-telemetry-link.ts';

const SEED_BYTES = 4;
const PRUNE_MS = 600_000;

export interface RunDirectorParts extends RunSurroundings {
  readonly store: RunStore;
  readonly environment: Environment;
  readonly compression: Compression;
  readonly retention: Retention;
}

/** All runs: the one that goes on, and those that have ended. */
export class RunDirector {
  readonly #parts: RunDirectorParts;
  /** By run id, of runs that have ended. */
  readonly #records = new Map<string, RunRecord>();
  #active: ActiveRun | undefined;
  #latest: RunData | undefined;
  #isCreating = false;
  #pruning: NodeJS.Timeout | undefined;

  constructor(parts: RunDirectorParts) {
    this.#parts = parts;
  }

  /** Reads what is on disk, and goes on with a run that had not ended. */
  async open(): Promise<void> {
    const { store, log } = this.#parts;
    const records = await store.readAll((runId, error) => {
      log.error({ event: 'run.damaged', err: error, run_id: runId }, 'record of a run cannot be read');
    });
    for (const record of records) this.#records.set(record.run_id, record);
    const open = records
      .filter(({ status }) => status === 'Starting' || status === 'Running')
      .sort((a, b) => b.created_at_us - a.created_at_us);
    const [latest, ...earlier] = open;
    for (const record of earlier) await this.#giveUp(record);
    if (latest !== undefined) await this.#resume(latest);
    await this.#prune();
    this.#pruning = setInterval(() => void this.#prune(), PRUNE_MS).unref();
  }

  /** Throws SCENARIO_INVALID, RUN_ACTIVE, NO_DISK_SPACE. `text` is what its author wrote. */
  async create(document: unknown, text: string): Promise<RunData> {
    const scenario = parseScenario(document);
    const wallet = openWallet(scenario, this.#parts.environment);
    if (this.#active !== undefined || this.#isCreating) {
      const details = { run_id: this.#active?.runData.runId };
      throw new DomainError('RUN_ACTIVE', 'another run has not ended', { details });
    }
    this.#isCreating = true;
    try {
      const runId = newRunId(Date.now());
      const file = await this.#parts.store.create(runId, redactedText(text, scenario.target));
      if (hasSecretUrls(scenario.target)) await file.keepUrls(targetUrls(scenario.target));
      const randomSeed = scenario.load.random_seed ?? randomBytes(SEED_BYTES).readUInt32BE();
      const runData = new RunData({ runId, scenario, randomSeed, createdAtUs: systemNowUs() });
      const run = new ActiveRun({ ...this.#parts, runData, file, wallet, place: this.#placeOf(runId) });
      await run.begin().catch((error: unknown) => run.close().then(() => Promise.reject(error as Error)));
      this.#enter(run);
      await run.idle();
      return runData;
    } finally {
      this.#isCreating = false;
    }
  }

  get active(): ActiveRun | undefined {
    return this.#active;
  }

  /** Of the run that goes on, or the last one that did in this process. */
  get latest(): RunData | undefined {
    return this.#latest;
  }

  /** As its record says, the active one as it is now. Throws NOT_FOUND. */
  get(runId: string): RunRecord {
    const record = this.#active?.runData.runId === runId ? this.#activeRecord() : this.#records.get(runId);
    if (record !== undefined) return record;
    throw new DomainError('NOT_FOUND', 'no run has this id');
  }

  /** The latest first. */
  list(): readonly RunRecord[] {
    const active = this.#activeRecord();
    const all = active === undefined ? [...this.#records.values()] : [active, ...this.#records.values()];
    return all.sort(latestFirst);
  }

  /** From the run after `cursor` on, whether that one is still there or not. Throws INVALID_REQUEST. */
  page(
    limit: number,
    cursor?: string,
  ): { readonly records: readonly RunRecord[]; readonly next: string | null } {
    const after = cursor === undefined ? undefined : placeOf(cursor);
    const rest = this.list().filter((run) => after === undefined || latestFirst(run, after) > 0);
    const records = rest.slice(0, limit);
    const last = rest.length > limit ? records.at(-1) : undefined;
    return { records, next: last === undefined ? null : `${last.created_at_us}_${last.run_id}` };
  }

  /** Removes a run that has ended, with all its files. Throws NOT_FOUND, RUN_ACTIVE, STORE_UNAVAILABLE. */
  async remove(runId: string): Promise<void> {
    await this.#written(runId);
    this.get(runId);
    if (this.#active?.runData.runId === runId) {
      throw new DomainError('RUN_ACTIVE', 'the run has not ended', { details: { run_id: runId } });
    }
    this.#records.delete(runId);
    await this.#parts.store.remove(runId);
    this.#parts.log.info({ event: 'run.removed', run_id: runId }, 'removed a run');
  }

  /** Throws NOT_FOUND, RUN_ENDED. */
  stop(runId: string, mode: 'drain' | 'abort'): void {
    this.get(runId);
    if (this.#active?.runData.runId !== runId) throw new DomainError('RUN_ENDED', 'the run has ended');
    this.#active.happened({ type: 'stop_asked', mode });
  }

  happened(event: RunEvent): void {
    this.#active?.happened(event);
  }

  answered(
    edgeId: string,
    answer: EdgeAnswer,
    refusal: { readonly code: string; readonly reason: string } | undefined,
  ): void {
    this.#active?.answered(edgeId, answer, refusal);
  }

  progressed(edge: EdgeRegistration, progress: EdgeProgress): void {
    this.#active?.progressed(edge, progress);
  }

  /** Resolves when the batch is on disk; a rejection says that it never will be. */
  async take(edge: EdgeInstance, batch: ReceivedBatch): Promise<void> {
    const run = this.#active;
    if (run?.runData.runId !== batch.runId) throw new DomainError('RUN_ENDED', 'no run of this id goes on');
    await run.receiveBatch(edge, batch);
  }

  /** Leaves everything as it is, for the next process. */
  async close(): Promise<void> {
    clearInterval(this.#pruning);
    await this.#active?.close();
  }

  /**
   * Completes the files of a run that had no room for them when it ended. Throws NOT_FOUND, NO_DISK_SPACE,
   * STORE_UNAVAILABLE.
   */
  async completeFiles(runId: string): Promise<void> {
    await this.#written(runId);
    const record = this.get(runId);
    if (record.parts.length > 0 || this.#active?.runData.runId === runId) return;
    const runData = runDataOf(record);
    const telemetry = new RunTelemetryLink(runData, this.#placeOf(runId), {
      violations: () => undefined,
      ended: () => undefined,
    });
    runData.judge(await telemetry.verify(null));
    if (runData.startedAtUs !== null)
      runData.schedule = await drawSchedule(runData, new AbortController().signal);
    runData.end(record.ended_at_us ?? systemNowUs(), outcomesOf(record, runData));
    await telemetry.seal();
    await this.#parts.store.fileOf(runId).save(() => runRecord(runData, systemNowUs()));
    this.#records.set(runId, runRecord(runData, systemNowUs()));
  }

  /** A run that has just ended is told as such while its record is still being written. */
  async #written(runId: string): Promise<void> {
    const run = this.#active;
    if (run?.runData.runId === runId && isEnded(run.runData.state)) await run.ended;
  }

  directoryOf(runId: string): string {
    return this.#parts.store.directoryOf(runId);
  }

  async #resume(record: RunRecord): Promise<void> {
    const { store, log, environment } = this.#parts;
    const { run_id: runId } = record;
    log.warn({ event: 'run.resumed', run_id: runId, status: record.status }, 'a run had not ended');
    const file = store.fileOf(runId);
    const runData = runDataOf(record, await file.keptUrls());
    const wallet = openWallet(runData.scenario, environment);
    const run = new ActiveRun({
      ...this.#parts,
      ...{ runData, wallet, file },
      place: this.#placeOf(runId),
    });
    if (record.status === 'Running') await this.#reopenTelemetry(run);
    run.happened({ type: 'hive_restarted' });
    this.#enter(run);
    await run.idle();
  }

  /** A run can end whatever has become of its files; so the hive starts. */
  async #reopenTelemetry(run: ActiveRun): Promise<void> {
    try {
      await run.reopenTelemetry();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const { runId } = run.runData;
      this.#parts.log.error(
        { event: 'telemetry.not_reopened', err: error, run_id: runId },
        'telemetry that another process has left cannot be read',
      );
    }
  }

  /** There was no room to write down that it had ended, and another has begun since. */
  async #giveUp(record: RunRecord): Promise<void> {
    const { store, log } = this.#parts;
    const { run_id: runId } = record;
    const ended = givenUp(record, systemNowUs());
    log.warn({ event: 'run.given_up', run_id: runId, reason: ended.reason }, 'a run had not ended');
    this.#records.set(runId, ended);
    await store
      .fileOf(runId)
      .save(() => ended)
      .catch((error: unknown) => {
        if (!(error instanceof DomainError)) throw error;
        log.error({ event: 'run.not_saved', err: error, run_id: runId }, 'state of the run is not on disk');
      });
  }

  #enter(run: ActiveRun): void {
    this.#active = run;
    this.#latest = run.runData;
    run.watch();
    this.#records.delete(run.runData.runId);
    for (const { edgeId, instanceId } of this.#parts.registry.list()) {
      run.happened({ type: 'edge_registered', edgeId, instanceId });
    }
    void run.ended.then(() => {
      this.#records.set(run.runData.runId, runRecord(run.runData, systemNowUs()));
      if (this.#active === run) this.#active = undefined;
      return this.#prune();
    });
  }

  /** What has been kept for long enough goes. */
  async #prune(): Promise<void> {
    const { retention, log } = this.#parts;
    for (const runId of expiredRuns([...this.#records.values()], retention, systemNowUs())) {
      try {
        await this.remove(runId);
      } catch (error) {
        log.warn({ event: 'run.not_removed', err: error, run_id: runId }, 'could not remove an old run');
      }
    }
  }

  #activeRecord(): RunRecord | undefined {
    return this.#active === undefined ? undefined : runRecord(this.#active.runData, systemNowUs());
  }

  #placeOf(runId: string): { readonly directory: string; readonly compression: Compression } {
    return { directory: this.#parts.store.directoryOf(runId), compression: this.#parts.compression };
  }
}

type Place = Pick<RunRecord, 'created_at_us' | 'run_id'>;

function latestFirst(a: Place, b: Place): number {
  return b.created_at_us - a.created_at_us || Number(a.run_id < b.run_id) - Number(a.run_id > b.run_id);
}

function placeOf(cursor: string): Place {
  const [, createdAtUs, runId] = /^(\d{1,16})_(r-[a-z0-9-]{1,60})$/.exec(cursor) ?? [];
  if (createdAtUs !== undefined && runId !== undefined)
    return { created_at_us: Number(createdAtUs), run_id: runId };
  throw new DomainError('INVALID_REQUEST', 'query: cursor: expected next_cursor of a page');
}
