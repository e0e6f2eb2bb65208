import { DomainError } from '#platform/foundation';
import { type Span, traced } from '#platform/observability';
import { StepAttempt } from './attempt.ts';
import { Collected } from './collected.ts';
import type { CollectionProgress } from './collection-progress.ts';
import type { Omissions } from './omissions.ts';
import { RedactedLog } from './redacted-log.ts';
import { failureMessage } from './report-text.ts';
import type { RunClock } from './run-clock.ts';
import type { StepReport, StepStatus } from './run-report.ts';
import { type ReadyConnector, type Step, type StepLog, typesOf } from './step.ts';
import { owningErrors } from './stray-errors.ts';

const TIMEOUT_MS = 600_000;
const BACK_OFF_MS = 1_000;
const BACK_OFF_MS_MAX = 30_000;

/** The shared state of the steps of a run. */
export interface StepSurroundings {
  readonly connector: ReadyConnector;
  readonly signal: AbortSignal;
  readonly clock: RunClock;
  readonly log: StepLog;
  readonly progress: CollectionProgress;
}

/** The execution of one step in a run. */
export class StepRun {
  readonly step: Step;
  readonly #wave: number;
  readonly #around: StepSurroundings;
  #status: StepStatus = 'waiting';
  #attempts = 0;
  #current = new Collected();
  #durationMs = 0;
  #incompleteTypes: readonly string[] = [];
  #omissions: Omissions | undefined;
  #reason: string | undefined;

  constructor(step: Step, wave: number, around: StepSurroundings) {
    this.step = step;
    this.#wave = wave;
    this.#around = around;
  }

  get status(): StepStatus {
    return this.#status;
  }

  /** Types and verbs that the finished step reported as incomplete. */
  get incompleteTypes(): readonly string[] {
    return this.#incompleteTypes;
  }

  /** What the finished step could not or did not read. */
  get omissions(): Omissions | undefined {
    return this.#omissions;
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
    this.#status = 'running';
    progress.changed();
    const { retries = 0 } = this.step;
    while (this.#status === 'running') {
      const failure = await this.#attempt();
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
      ...(this.#reason !== undefined && { reason: this.#reason }),
    };
  }

  /** The error of a failed attempt, in an object: a promise that a module throws would be waited for. */
  async #attempt(): Promise<{ readonly error: unknown } | undefined> {
    const { signal, connector, log, progress } = this.#around;
    const ended = new AbortController();
    this.#attempts++;
    const attempt = new StepAttempt({
      step: this.step,
      config: connector.config,
      log: new RedactedLog(log, connector.secrets),
      signal: AbortSignal.any([signal, ended.signal]),
      progress,
    });
    this.#current = attempt.emitted;
    try {
      await this.#inTime(attempt, ended.signal);
      attempt.end();
      progress.collected.addAll(attempt.emitted);
      this.#incompleteTypes = [...attempt.incompleteTypes];
      this.#omissions = attempt.omissions;
      return undefined;
    } catch (error) {
      attempt.drop();
      return { error: error ?? new DomainError('INTERNAL_ERROR', 'failed without saying why') };
    } finally {
      attempt.end();
      ended.abort();
    }
  }

  /** Whichever is first: the step's own end, an error of it, its time, or the end of the run. */
  async #inTime(attempt: StepAttempt, ended: AbortSignal): Promise<void> {
    const { clock, signal } = this.#around;
    const { timeoutMs = TIMEOUT_MS } = this.step;
    signal.throwIfAborted();
    const stray = Promise.withResolvers<never>();
    stray.promise.catch(() => undefined);
    const working = Promise.resolve(attempt).then((context) => {
      let lateErrors = 0;
      const listener = (error: unknown): void => {
        if (!attempt.hasEnded) stray.reject(error);
        else if (lateErrors++ === 0) this.#noteLateError(error);
      };
      return owningErrors(listener, () => this.step.run(context));
    });
    const waiting = clock.sleep(timeoutMs, AbortSignal.any([signal, ended])).then(() => {
      if (signal.aborted) throw new DomainError('CONFLICT', 'the run was stopped');
      throw new DomainError('QUERY_TIMEOUT', `took longer than ${timeoutMs} ms`);
    });
    waiting.catch(() => undefined);
    await Promise.race([working, stray.promise, waiting]);
  }

  /** An error after the end of an attempt: the step may have done less than it should have. */
  #noteLateError(error: unknown): void {
    const { log, connector, progress } = this.#around;
    const reason = failureMessage(error, connector.secrets);
    log.warn({ event: 'connector.late_error', step: this.step.id, reason }, 'error of a step after its end');
    if (this.#status !== 'done') return;
    this.#incompleteTypes = typesOf(this.step);
    progress.warn(this.step.id, `an error after its end: ${reason}`);
    progress.changed();
  }

  #fail(error: unknown): void {
    const { log, connector } = this.#around;
    this.#status = 'failed';
    this.#current = new Collected();
    this.#reason = failureMessage(error, connector.secrets);
    const fields = { event: 'connector.step_failed', step: this.step.id, reason: this.#reason };
    log.warn({ ...fields, attempts: this.#attempts }, 'connector step failed');
  }
}

function backOffMs(attempts: number): number {
  return Math.min(BACK_OFF_MS * 2 ** (attempts - 1), BACK_OFF_MS_MAX);
}
