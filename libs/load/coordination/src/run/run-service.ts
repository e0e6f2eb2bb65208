import { randomBytes } from 'node:crypto';
import type { Check } from '#load/oracle';
import { systemNowUs } from '#load/protocol';
import { hasSecretUrls, parseScenario, redactedText, targetUrls } from '#load/scenario';
import type { Compression } from '#load/telemetry';
import { actingAs, type AuditedChanges, PROGRAM } from '#platform/audit';
import type { Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { EdgeSessions } from '../edge/edge-sessions.ts';
import { expiredRuns, givenUp, type Retention, type HiveRunRecord } from '../record/run-record.ts';
import { isEnded } from '../record/run-state.ts';
import { newRunId, type RunFile, type RunStore } from '../record/run-store.ts';
import { ActiveRun } from './active-run.ts';
import { openWebhook } from './open-webhook.ts';
import { drawSchedule } from './edge-plans.ts';
import { type FundingEnvironment, FunderTurns, type FundingWallet, openWallet } from './funding.ts';
import { orderRate } from './rate-order.ts';
import { RunClaims } from './run-claims.ts';
import { outcomesOf, restoredRun, runRecord } from './run-documents.ts';
import { RunTelemetry, type TelemetryPlace } from './run-telemetry.ts';
import type { RunTimes } from './run-watchdog.ts';
import { Run } from './run.ts';

const SEED_BYTES = 4;
const PRUNE_MS = 600_000;
/** Runs without a request to remove them. */
const RETENTION = { ...PROGRAM, what: 'retention' };

export interface RunSettings {
  readonly times: RunTimes;
  readonly environment: FundingEnvironment;
  readonly compression: Compression;
  readonly retention: Retention;
  readonly audit: AuditedChanges;
}

/** Follows the ends of runs, and what remains of them. */
export interface RunObserver {
  /** Called when the final record of a run is on disk. */
  ended(record: HiveRunRecord): void;
  /** Called before the files of a run are removed. */
  forget(runId: string): Promise<void>;
}

/** All runs: the active runs, and the runs that have ended. */
export class RunService {
  readonly #disk: Disk;
  readonly #store: RunStore;
  readonly #sessions: EdgeSessions;
  readonly #settings: RunSettings;
  readonly #log: Log;
  /** Records of ended runs, by run id. */
  readonly #records = new Map<string, HiveRunRecord>();
  readonly #active = new Map<string, ActiveRun>();
  readonly #claims: RunClaims;
  readonly #turns = new FunderTurns();
  #shown: readonly Run[] = [];
  /** Violations of the runs that are no longer shown. */
  #violations: Violations = { nonce: 0, balance: 0, gas: 0 };
  #observer: RunObserver | undefined;
  #pruneTimer: NodeJS.Timeout | undefined;
  /** Settles when no removal of expired runs is in progress. */
  #pruned: Promise<void> = Promise.resolve();

  constructor(disk: Disk, store: RunStore, sessions: EdgeSessions, settings: RunSettings, log: Log) {
    this.#disk = disk;
    this.#store = store;
    this.#sessions = sessions;
    this.#settings = settings;
    this.#log = log;
    this.#claims = new RunClaims(settings.environment);
  }

  observe(observer: RunObserver): void {
    this.#observer = observer;
  }

  /** Reads the runs on disk, and resumes those that have not ended. */
  async open(): Promise<void> {
    const records = await this.#store.readAll((runId, error) => {
      this.#log.error({ event: 'run.damaged', err: error, run_id: runId }, 'run record unreadable');
    });
    for (const record of records) this.#records.set(record.run_id, record);
    const open = records
      .filter(({ status }) => status === 'Starting' || status === 'Running')
      .sort((a, b) => b.created_at_us - a.created_at_us);
    const resumed: (() => Promise<void>)[] = [];
    for (const record of open) {
      const resume = await this.#resumable(record);
      if (resume === undefined) await this.#giveUp(record);
      else resumed.unshift(resume);
    }
    for (const resume of resumed) await resume();
    await this.#prune();
    this.#pruneTimer = setInterval(() => void this.#prune(), PRUNE_MS).unref();
  }

  /** Throws SCENARIO_INVALID, RUN_ACTIVE, NO_DISK_SPACE. `text` is the original text of the scenario. */
  async create(document: unknown, text: string): Promise<Run> {
    const { environment } = this.#settings;
    const scenario = parseScenario(document);
    const wallet = openWallet(scenario, environment);
    await openWebhook(scenario, environment)?.target.close();
    await Promise.all(Array.from(this.#active.keys(), (runId) => this.#written(runId)));
    const runId = newRunId(Date.now());
    const firstAccount = this.#claims.take(runId, scenario);
    try {
      return await this.#settings.audit.make({ target: runId }, () =>
        this.#create({ runId, scenario, firstAccount }, text, wallet),
      );
    } finally {
      if (!this.#active.has(runId)) this.#claims.release(runId);
    }
  }

  async #create(
    { runId, scenario, firstAccount }: Pick<Run, 'runId' | 'scenario' | 'firstAccount'>,
    text: string,
    wallet: FundingWallet,
  ): Promise<Run> {
    const file = await this.#store.create(runId, redactedText(text, scenario.target));
    if (hasSecretUrls(scenario.target)) await file.keepUrls(targetUrls(scenario.target));
    const randomSeed = scenario.load.random_seed ?? randomBytes(SEED_BYTES).readUInt32BE();
    const { leadMs } = this.#settings.times;
    const createdAtUs = systemNowUs();
    const run = new Run({ runId, scenario, randomSeed, createdAtUs, firstAccount, leadMs });
    const active = this.#activate(run, file, wallet);
    await active.effects
      .save()
      .catch((error: unknown) => active.close().then(() => Promise.reject(error as Error)));
    this.#enter(active);
    await active.effects.idle();
    return run;
  }

  /** The runs that have not ended, in the order in which they began. */
  get active(): readonly ActiveRun[] {
    return [...this.#active.values()];
  }

  /** The run, if it has not ended. */
  activeOf(runId: string): ActiveRun | undefined {
    return this.#active.get(runId);
  }

  /** The active runs, and those that have ended since the latest one began. */
  get shown(): readonly Run[] {
    return this.#shown;
  }

  /** Violations of all runs of this process, by check; never decrease. */
  get violations(): Violations {
    return withViolations(this.#violations, this.#shown);
  }

  /** The record of a run; current for an active run. Throws NOT_FOUND. */
  get(runId: string): HiveRunRecord {
    const active = this.#active.get(runId);
    const record = active === undefined ? this.#records.get(runId) : runRecord(active.run, systemNowUs());
    if (record !== undefined) return record;
    throw new DomainError('NOT_FOUND', 'no run has this id');
  }

  /** Latest first. */
  list(): readonly HiveRunRecord[] {
    const active = this.active.map(({ run }) => runRecord(run, systemNowUs()));
    return [...active, ...this.#records.values()].sort(latestFirst);
  }

  /** The runs after `cursor`, whose own run may have been removed. Throws INVALID_REQUEST. */
  page(
    limit: number,
    cursor?: string,
  ): { readonly records: readonly HiveRunRecord[]; readonly next: string | null } {
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
    if (this.#active.has(runId)) {
      throw new DomainError('RUN_ACTIVE', 'the run has not ended', { details: { run_id: runId } });
    }
    await this.#settings.audit.make({ target: runId }, async () => {
      await this.#observer?.forget(runId);
      this.#records.delete(runId);
      await this.#store.remove(runId);
    });
    this.#log.info({ event: 'run.removed', run_id: runId }, 'run removed');
  }

  /** Throws NOT_FOUND, RUN_ENDED. */
  stop(runId: string, mode: 'drain' | 'abort'): void {
    this.get(runId);
    const run = this.#active.get(runId)?.run;
    if (run === undefined || isEnded(run.state)) throw new DomainError('RUN_ENDED', 'the run has ended');
    this.#settings.audit.announce({ target: runId });
    run.happened({ type: 'stop_asked', mode });
  }

  /**
   * Changes the rate of all edges together, from shortly after now to the end of the load. Throws NOT_FOUND,
   * RUN_ENDED, RUN_NOT_SENDING, INVALID_REQUEST.
   */
  changeRate(runId: string, rate: number): void {
    this.get(runId);
    const run = this.#active.get(runId)?.run;
    if (run === undefined) throw new DomainError('RUN_ENDED', 'the run has ended');
    const order = orderRate(run, rate, systemNowUs());
    this.#settings.audit.announce({ target: runId, counts: { rate } });
    run.happened({ type: 'rate_asked', ...order });
  }

  /** Stops without ending the active runs; the next process resumes them. */
  async close(): Promise<void> {
    clearInterval(this.#pruneTimer);
    await Promise.all(this.active.map((active) => active.close()));
    // The next process must not find a partly removed run.
    await this.#pruned;
  }

  /**
   * Completes the files of a run that ended on a full disk. Throws NOT_FOUND, NO_DISK_SPACE,
   * STORE_UNAVAILABLE.
   */
  async completeFiles(runId: string): Promise<void> {
    await this.#written(runId);
    const record = this.get(runId);
    if (record.parts.length > 0 || this.#active.has(runId)) return;
    const run = restoredRun(record);
    const telemetry = new RunTelemetry(run, this.#placeOf(runId), this.#log);
    run.learned({ type: 'judged', verified: await telemetry.verify(null) });
    if (run.facts.startedAtUs !== null) {
      const schedule = await drawSchedule(run, new AbortController().signal);
      run.learned({ type: 'schedule_drawn', schedule });
    }
    const outcomes = outcomesOf(record, run);
    run.learned({ type: 'measured', outcomes }, record.ended_at_us ?? systemNowUs());
    await telemetry.seal();
    await this.#store.fileOf(runId).save(() => runRecord(run, systemNowUs()));
    this.#records.set(runId, runRecord(run, systemNowUs()));
  }

  /**
   * Waits for the final record of a run that has just ended: it is reported as ended while the record is
   * written.
   */
  async #written(runId: string): Promise<void> {
    const active = this.#active.get(runId);
    if (active !== undefined && isEnded(active.run.state)) await active.effects.ended;
  }

  directoryOf(runId: string): string {
    return this.#store.directoryOf(runId);
  }

  /**
   * What resumes a run; undefined for one that ended without a saved end, as a later run has its edges or
   * accounts. Throws SCENARIO_INVALID.
   */
  async #resumable(record: HiveRunRecord): Promise<(() => Promise<void>) | undefined> {
    const { environment, times } = this.#settings;
    const { run_id: runId } = record;
    const file = this.#store.fileOf(runId);
    const run = restoredRun(record, { urls: await file.keptUrls(), leadMs: times.leadMs });
    if (!this.#retake(run)) return undefined;
    const wallet = openWallet(run.scenario, environment);
    return () => this.#resume(this.#activate(run, file, wallet));
  }

  #retake({ runId, scenario, firstAccount }: Run): boolean {
    try {
      this.#claims.retake(runId, scenario, firstAccount);
      return true;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'RUN_ACTIVE') return false;
      throw error;
    }
  }

  async #resume(active: ActiveRun): Promise<void> {
    const { run } = active;
    const { status } = run.state;
    this.#log.warn({ event: 'run.resumed', run_id: run.runId, status }, 'unfinished run resumed');
    if (status === 'Running') await this.#reopenTelemetry(active);
    run.happened({ type: 'hive_restarted' });
    this.#enter(active);
    await active.effects.idle();
  }

  #activate(run: Run, file: RunFile, wallet: FundingWallet): ActiveRun {
    const place = this.#placeOf(run.runId);
    const { times } = this.#settings;
    const context = { sessions: this.#sessions, turns: this.#turns, times, log: this.#log };
    return ActiveRun.of(run, { file, wallet, place }, context);
  }

  /** A run can end with damaged files, so an error does not stop the hive. */
  async #reopenTelemetry({ run, telemetry }: ActiveRun): Promise<void> {
    try {
      await telemetry.open();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#log.error(
        { event: 'telemetry.not_reopened', err: error, run_id: run.runId },
        'telemetry of the previous process unreadable',
      );
    }
  }

  /** The run ended on a full disk without saving its end, and a later run exists. */
  async #giveUp(record: HiveRunRecord): Promise<void> {
    const { run_id: runId } = record;
    const ended = givenUp(record, systemNowUs());
    this.#log.warn({ event: 'run.given_up', run_id: runId, reason: ended.reason }, 'unfinished run given up');
    this.#records.set(runId, ended);
    await this.#store
      .fileOf(runId)
      .save(() => ended)
      .catch((error: unknown) => {
        if (!(error instanceof DomainError)) throw error;
        this.#log.error({ event: 'run.not_saved', err: error, run_id: runId }, 'run state not saved');
      });
  }

  #enter(active: ActiveRun): void {
    const { run, effects } = active;
    const isActive = ({ runId }: Run): boolean => this.#active.has(runId);
    const left = this.#shown.filter((one) => !isActive(one));
    this.#violations = withViolations(this.#violations, left);
    this.#shown = [...this.#shown.filter(isActive), run];
    this.#active.set(run.runId, active);
    active.watchdog.start();
    this.#records.delete(run.runId);
    for (const { registration } of this.#sessions.list()) {
      const { edgeId, instanceId } = registration;
      run.happened({ type: 'edge_registered', edgeId, instanceId });
    }
    void effects.ended.then(() => {
      active.watchdog.close();
      const record = runRecord(run, systemNowUs());
      this.#records.set(run.runId, record);
      this.#active.delete(run.runId);
      this.#claims.release(run.runId);
      this.#observer?.ended(record);
      return this.#prune();
    });
  }

  /** Removes runs beyond the retention limits. */
  #prune(): Promise<void> {
    this.#pruned = this.#pruned.then(() => actingAs(RETENTION, () => this.#removeExpired()));
    return this.#pruned;
  }

  async #removeExpired(): Promise<void> {
    const { retention } = this.#settings;
    for (const runId of expiredRuns([...this.#records.values()], retention, systemNowUs())) {
      try {
        await this.remove(runId);
      } catch (error) {
        this.#log.warn({ event: 'run.not_removed', err: error, run_id: runId }, 'expired run not removed');
      }
    }
  }

  #placeOf(runId: string): TelemetryPlace {
    const { compression } = this.#settings;
    return { disk: this.#disk, directory: this.#store.directoryOf(runId), compression };
  }
}

type Violations = Readonly<Record<Check, number>>;

function withViolations(before: Violations, runs: readonly Run[]): Violations {
  const sumOf = (check: Check): number =>
    runs.reduce((sum, { facts }) => sum + facts.violations[check], before[check]);
  return { nonce: sumOf('nonce'), balance: sumOf('balance'), gas: sumOf('gas') };
}

type Place = Pick<HiveRunRecord, 'created_at_us' | 'run_id'>;

function latestFirst(a: Place, b: Place): number {
  return b.created_at_us - a.created_at_us || Number(a.run_id < b.run_id) - Number(a.run_id > b.run_id);
}

function placeOf(cursor: string): Place {
  const [, createdAtUs, runId] = /^(\d{1,16})_(r-[a-z0-9-]{1,60})$/.exec(cursor) ?? [];
  if (createdAtUs !== undefined && runId !== undefined)
    return { created_at_us: Number(createdAtUs), run_id: runId };
  throw new DomainError('INVALID_REQUEST', 'query: cursor: expected next_cursor of a page');
}
