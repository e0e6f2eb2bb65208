import type { EntityKey, PartialRelationships, UnreadEntities } from '#graph/model';
import { type GraphEntities, NoEntities } from './graph-entities.port.ts';
import type { Collected } from './collected.ts';
import { CollectionProgress } from './collection-progress.ts';
import { planWaves } from './plan-waves.ts';
import { type RunClock, systemRunClock } from './run-clock.ts';
import { Omissions } from './omissions.ts';
import type { CollectionReport, CollectionStatus } from './run-report.ts';
import { StepRun } from './step-run.ts';
import { workObserver } from './stray-errors.ts';
import { ANY_TYPE, type ReadyConnector, type Step, type StepLog, typesOf } from './step.ts';

const CONCURRENCY = 4;
/** The wait for what steps left open, at the end of a run. */
const OPEN_WORK_MS = 5_000;
const SILENT: StepLog = { info: () => undefined, warn: () => undefined };

export interface CollectOptions {
  /** Maximum number of concurrent steps of a wave; default 4. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  readonly clock?: RunClock;
  readonly log?: StepLog;
  /** What steps may read of the graph; default nothing. */
  readonly graph?: GraphEntities;
  /** Limit of the memory of all records, estimated in bytes; default half of the process's heap. */
  readonly recordBytesMax?: number;
  /** Called at every change; building the report is expensive. */
  readonly onProgress?: (report: () => CollectionReport) => void;
}

/** What incremental steps have read. */
export interface CollectedIncrement {
  /** Types and verbs. */
  readonly types: readonly string[];
  readonly removed: readonly EntityKey[];
}

export interface Collection {
  readonly collected: Collected;
  /** Relationships that unresolved references would have led to. */
  readonly partialRelationships: readonly PartialRelationships[];
  /** Entities of parts that could not be read. */
  readonly unread: readonly UnreadEntities[];
  /** The types that were read as changes, and the entities that went; undefined if everything was read. */
  readonly increment: CollectedIncrement | undefined;
  /** The cursors of the incremental steps that have succeeded. */
  readonly cursors: ReadonlyMap<string, string>;
  /** The report as known now: late errors of steps make it partial. */
  readonly report: () => CollectionReport;
}

/**
 * Runs the steps, wave after wave, and returns their emits. A failed step does not stop its siblings; its
 * dependents are skipped, and the types of both are partial. What steps did not await is waited for, for a
 * limited time: an error or emit in it, or no answer, makes the types of the step partial. Never rejects
 * because of a step; throws INVALID_CONFIG for steps that cannot be planned.
 */
export async function collect(connector: ReadyConnector, options: CollectOptions = {}): Promise<Collection> {
  const run = new CollectionRun(connector, options);
  await run.run();
  const { partialRelationships, unread } = run.omissions();
  const { collected, increment, cursors } = run;
  return { collected, partialRelationships, unread, increment, cursors, report: () => run.report() };
}

class CollectionRun {
  readonly #progress: CollectionProgress;
  readonly #steps = new Map<string, StepRun>();
  readonly #waves: readonly (readonly StepRun[])[];
  readonly #concurrency: number;
  readonly #signal: AbortSignal;
  readonly #clock: RunClock;

  constructor(connector: ReadyConnector, options: CollectOptions) {
    const { signal = new AbortController().signal, clock = systemRunClock, log = SILENT } = options;
    const { graph = new NoEntities() } = options;
    this.#progress = new CollectionProgress(connector.secrets, options.recordBytesMax, () =>
      options.onProgress?.(() => this.report()),
    );
    const around = { connector, graph, signal, clock, log, progress: this.#progress };
    this.#signal = signal;
    this.#clock = clock;
    this.#concurrency = options.concurrency ?? CONCURRENCY;
    this.#waves = planWaves(connector.steps).map((wave, index) =>
      wave.map((step) => new StepRun(step, index + 1, around)),
    );
    for (const run of this.#waves.flat()) this.#steps.set(run.step.id, run);
  }

  /** Emits of the finished steps. */
  get collected(): Collected {
    return this.#progress.collected;
  }

  get increment(): CollectedIncrement | undefined {
    const steps = [...this.#steps.values()].filter(({ increment }) => increment?.isIncrement === true);
    if (steps.length === 0) return undefined;
    const removed = steps.flatMap(({ increment }) => increment?.removed ?? []);
    return {
      types: [...new Set(steps.flatMap(({ step }) => typesOf(step)))],
      removed: removed.filter((entity) => !this.collected.has(entity)),
    };
  }

  get cursors(): ReadonlyMap<string, string> {
    const cursors = new Map<string, string>();
    for (const { step, increment } of this.#steps.values())
      if (increment?.next !== undefined) cursors.set(step.id, increment.next);
    return cursors;
  }

  async run(): Promise<void> {
    workObserver.start();
    try {
      await this.#runWaves();
      const untilMs = this.#clock.monotonicMs() + OPEN_WORK_MS;
      await Promise.all(Array.from(this.#steps.values(), (run) => run.finishOpenWork(untilMs)));
    } finally {
      workObserver.stop();
    }
  }

  async #runWaves(): Promise<void> {
    for (const wave of this.#waves) {
      const ready = wave.filter((run) => this.#mayRun(run));
      const queue = ready.values();
      const workers = Array.from({ length: Math.min(this.#concurrency, ready.length) }, async () => {
        for (const run of queue) await run.run();
      });
      await Promise.all(workers);
    }
  }

  /** What the finished steps have left out. */
  omissions(): Omissions {
    const all = new Omissions();
    for (const { omissions } of this.#steps.values()) if (omissions !== undefined) all.addAll(omissions);
    return all;
  }

  report(): CollectionReport {
    const { unresolvedCount, externalCount, ignored, unread } = this.omissions();
    return {
      status: this.#status(unresolvedCount + unread.length),
      steps: [...this.#steps.values()].map((run) => run.report()),
      entities: this.collected.entityCount,
      relationships: this.collected.relationshipCount,
      partial_types: this.#partialTypes(),
      unresolved_count: unresolvedCount,
      external_count: externalCount,
      ignored,
      warnings: this.#progress.warnings,
      warning_count: this.#progress.warningCount,
    };
  }

  #mayRun(run: StepRun): boolean {
    const { enabled = true, dependsOn = [] } = run.step;
    const missed = dependsOn.map((id) => this.#steps.get(id)).filter((other) => other?.status !== 'done');
    const failed = missed.find((other) => other?.status !== 'disabled');
    if (!enabled) run.leaveOut('disabled', 'switched off');
    else if (failed !== undefined) run.leaveOut('skipped', `needs ${failed.step.id}, which did not succeed`);
    else if (missed[0] !== undefined) run.leaveOut('disabled', `needs ${missed[0].step.id}, which is off`);
    return run.status === 'waiting';
  }

  #partialTypes(): readonly string[] {
    return [...new Set([...this.#unseen().flatMap(typesOf), ...this.#incompleteTypes()])];
  }

  /** Steps whose data is missing. */
  #unseen(): readonly Step[] {
    const runs = [...this.#steps.values()];
    return runs.filter(({ status }) => status === 'failed' || status === 'skipped').map(({ step }) => step);
  }

  /** Types and verbs that were read in part, and all of the steps that depend on those that read them. */
  #incompleteTypes(): readonly string[] {
    const inPart = new Set<string>();
    const types: string[] = [];
    for (const { step, status, incompleteTypes } of this.#waves.flat()) {
      const isDerived = step.dependsOn?.some((id) => inPart.has(id)) === true;
      if (status !== 'done' || (!isDerived && incompleteTypes.length === 0)) continue;
      inPart.add(step.id);
      types.push(...(isDerived ? typesOf(step) : incompleteTypes));
    }
    return types;
  }

  #status(lossCount: number): CollectionStatus {
    if (this.#signal.aborted) return 'aborted';
    const partial = this.#partialTypes();
    const unseen = this.#unseen();
    const done = [...this.#steps.values()].filter(({ status }) => status === 'done');
    if (partial.includes(ANY_TYPE) || (unseen.length > 0 && done.length === 0)) return 'failed';
    return unseen.length + partial.length + lossCount === 0 ? 'complete' : 'partial';
  }
}
