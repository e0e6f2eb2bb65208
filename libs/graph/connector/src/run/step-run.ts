import { DomainError } from '#platform/foundation';
import { type Span, traced } from '#platform/observability';
import type { GraphEntities } from './graph-entities.port.ts';
import { StepAttempt } from './attempt.ts';
import type { Collected } from './collected.ts';
import type { CollectionProgress } from './collection-progress.ts';
import type { Omissions } from './omissions.ts';
import { RedactedLog } from './redacted-log.ts';
import { failureMessage } from './report-text.ts';
import type { RunClock } from './run-clock.ts';
import type { StepReport, StepStatus } from './run-report.ts';
import type { StepIncrement } from './step-increment.ts';
import { type ReadyConnector, type Step, type StepLog, typesOf } from './step.ts';
import { owningErrors } from './stray-errors.ts';

const TIMEOUT_MS = 600_000;
const BACK_OFF_MS = 1_000;
const BACK_OFF_MS_MAX = 30_000;
/** Interval of the checks while waiting for work that a step has left open. */
const LOOK_MS = 20;

type EmittedCounts = Pick<Collected, 'entityCount' | 'relationshipCount'>;
const NOTHING: EmittedCounts = { entityCount: 0, relationshipCount: 0 };

/** The shared state of the steps of a run. */
export interface StepEnvironment {
  readonly connector: ReadyConnector;
  readonly graph: GraphEntities;
  readonly signal: AbortSignal;
  readonly clock: RunClock;
  readonly log: StepLog;
  readonly progress: CollectionProgress;
}

/** The execution of one step in a run. */
export class StepRun {
  readonly step: Step;
  readonly #wave: number;
  readonly #around: StepEnvironment;
  #status: StepStatus = 'waiting';
  #attempts = 0;
  #current: EmittedCounts = NOTHING;
  #durationMs = 0;
  /** The attempt that succeeded. */
  #attempt: StepAttempt | undefined;
  /** The last attempt, and when it began. */
  #running: StepAttempt | undefined;
  #startMs = 0;
  /** Ends its signal, and with it what the step left behind. */
  #over: AbortController | undefined;
  #reason: string | undefined;

  constructor(step: Step, wave: number, around: StepEnvironment) {
    this.step = step;
    this.#wave = wave;
    this.#around = around;
  }

  get status(): StepStatus {
    return this.#status;
  }

  /** Types and verbs of the finished step that are incomplete: it reported them, or had not finished. */
  get incompleteTypes(): readonly string[] {
    if (this.#attempt === undefined) return [];
    return this.#attempt.isUnfinished ? typesOf(this.step) : [...this.#attempt.incompleteTypes];
  }

  /** What the finished step says of the changes of its source. */
  get increment(): StepIncrement | undefined {
    return this.#attempt?.increment;
  }

  /** What the finished step could not or did not read. */
  get omissions(): Omissions | undefined {
    return this.#attempt?.omissions;
  }

  /** Ends the step without running it. */
  leaveOut(status: 'skipped' | 'disabled', reason: string): void {
    this.#status = status;
    this.#reason = reason;
    this.#around.progress.changed();
  }

  /** Runs it to success or to its last failure; never rejects. */
  run(): Promise<void> {
    const attributes = { 'connector.step': this.step.id, 'connector.wave': this.#wave };
    return traced('connector.step', (span) => this.#run(span), { attributes });
  }

  async #run(span: Span | undefined): Promise<void> {
    const { clock, signal, progress } = this.#around;
    const startMs = clock.monotonicMs();
    this.#startMs = startMs;
    this.#status = 'running';
    progress.changed();
    const { retries = 0 } = this.step;
    while (this.#status === 'running') {
      const failure = await this.#try();
      this.#durationMs = Math.round(clock.monotonicMs() - startMs);
      if (failure === undefined) this.#status = 'done';
      else if (this.#attempts > retries || signal.aborted) this.#fail(failure.error);
      else await clock.sleep(backOffMs(this.#attempts), signal);
    }
    span?.set({ 'connector.attempts': this.#attempts, 'connector.entities': this.#current.entityCount });
    if (this.status === 'failed') span?.fail('step_failed');
    progress.changed();
  }

  report(): StepReport {
    const { id, description } = this.step;
    return {
      id,
      ...(description !== undefined && { description }),
      wave: this.#wave,
      status: this.#status,
      attempts: this.#attempts,
      entities: this.#current.entityCount,
      relationships: this.#current.relationshipCount,
      duration_ms: this.#durationMs,
      ...(this.#status === 'running' && this.#reached()),
      ...(this.#reason !== undefined && { reason: this.#reason }),
    };
  }

  /** How far the running attempt has come; time left as fast as so far. */
  #reached(): Pick<StepReport, 'done' | 'total' | 'remaining_ms'> {
    const { done = 0, total } = this.#running?.reached ?? {};
    if (this.#running?.reached === undefined) return {};
    if (total === undefined) return { done };
    const elapsedMs = this.#around.clock.monotonicMs() - this.#startMs;
    if (done === 0 || done > total) return { done, total };
    return { done, total, remaining_ms: Math.round((elapsedMs / done) * (total - done)) };
  }

  /** The error of a failed attempt, in an object: a promise that a module throws would be waited for. */
  async #try(): Promise<{ readonly error: unknown } | undefined> {
    const { signal, connector, graph, log, progress, clock } = this.#around;
    const over = new AbortController();
    this.#attempts++;
    const attempt = new StepAttempt({
      connectorId: connector.id,
      step: this.step,
      config: connector.config,
      graph,
      log: new RedactedLog(log, connector.secrets),
      signal: AbortSignal.any([signal, over.signal]),
      progress,
      cursor: this.step.incremental === true ? connector.cursors?.get(this.step.id) : undefined,
      clock,
      onLate: (error) => this.#noteLate(attempt, error),
    });
    this.#running = attempt;
    this.#current = attempt.emitted;
    try {
      await this.#inTime(attempt);
      attempt.end();
      const { entityCount, relationshipCount } = attempt.emitted;
      progress.collected.takeAll(attempt.emitted);
      this.#current = { entityCount, relationshipCount };
      this.#attempt = attempt;
      this.#over = over;
      return undefined;
    } catch (error) {
      attempt.end();
      attempt.drop();
      over.abort();
      return { error: error ?? new DomainError('INTERNAL_ERROR', 'failed without saying why') };
    }
  }

  /** Whichever is first: the step's own end, an error of it, its time, or the end of the run. */
  async #inTime(attempt: StepAttempt): Promise<void> {
    const { clock, signal } = this.#around;
    const ended = new AbortController();
    const { timeoutMs = TIMEOUT_MS } = this.step;
    signal.throwIfAborted();
    const stray = Promise.withResolvers<never>();
    stray.promise.catch(() => undefined);
    const onError = (error: unknown): void => {
      if (attempt.hasEnded) this.#noteLate(attempt, error);
      else stray.reject(error);
    };
    const working = Promise.resolve(attempt)
      .then((context) => owningErrors({ onError, open: attempt.open }, () => this.step.run(context)))
      .then(turnOfLoop);
    const waiting = clock.sleep(timeoutMs, AbortSignal.any([signal, ended.signal])).then(() => {
      if (signal.aborted) throw new DomainError('CONFLICT', 'the run was stopped');
      throw new DomainError('QUERY_TIMEOUT', `took longer than ${timeoutMs} ms`);
    });
    waiting.catch(() => undefined);
    await Promise.race([working, stray.promise, waiting]).finally(() => ended.abort());
  }

  /**
   * Waits until nothing is open that the step did not await, at most until the given time. What is not
   * answered by then is unknown.
   */
  async finishOpenWork(untilMs: number): Promise<void> {
    const { clock, signal } = this.#around;
    const attempt = this.#attempt;
    if (attempt === undefined) return;
    const mayWait = (): boolean => !attempt.isUnfinished && !signal.aborted && clock.monotonicMs() < untilMs;
    while (attempt.open.isOpen && mayWait()) await clock.sleep(LOOK_MS, signal);
    const { unanswered } = attempt.open;
    if (unanswered.length > 0)
      this.#noteLate(attempt, `it did not await ${unanswered.join(' and ')}, without an answer by now`);
    this.#over?.abort();
  }

  /** An error or an emit after the end of an attempt: the step has done less than it should have. */
  #noteLate(attempt: StepAttempt, error: unknown): void {
    if (attempt.isUnfinished) return;
    attempt.isUnfinished = true;
    const { log, connector, progress } = this.#around;
    const reason = failureMessage(error, connector.secrets);
    log.warn({ event: 'connector.late_error', step: this.step.id, reason }, 'error of a step after its end');
    if (this.#attempt !== attempt) return;
    progress.warn(this.step.id, `had not finished at its end: ${reason}`);
    progress.changed();
  }

  #fail(error: unknown): void {
    const { log, connector } = this.#around;
    this.#status = 'failed';
    this.#current = NOTHING;
    this.#reason = failureMessage(error, connector.secrets);
    const fields = { event: 'connector.step_failed', step: this.step.id, reason: this.#reason };
    log.warn({ ...fields, attempts: this.#attempts }, 'connector step failed');
  }
}

function backOffMs(attempts: number): number {
  return Math.min(BACK_OFF_MS * 2 ** (attempts - 1), BACK_OFF_MS_MAX);
}

/** After it, the errors of promises and callbacks that were due are known. */
function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
