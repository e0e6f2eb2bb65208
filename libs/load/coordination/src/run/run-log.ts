import type { Log, PhaseTrace } from '#platform/observability';
import type { RunReason } from '../record/run-state.ts';
import type { TaskNamed } from './run-event.ts';
import type { Run } from './run.ts';

/** Writes the phases and errors of a run to the log and to its trace. */
export class RunLog {
  readonly #run: Run;
  readonly #log: Log;
  readonly #trace: PhaseTrace;

  constructor(run: Run, log: Log, trace: PhaseTrace) {
    this.#run = run;
    this.#log = log;
    this.#trace = trace;
  }

  phase({ status, phase, reason }: TaskNamed<'tell_phase'>): void {
    const fields = { run_id: this.#run.runId, status, phase, reason: reason ?? undefined };
    this.#log.info({ event: 'run.phase', ...fields }, 'run phase changed');
    if (phase !== null) this.#trace.enter(phase);
  }

  ended(): void {
    const { status, ending } = this.#run.state;
    this.#trace.end({ 'run.status': status }, status === 'Failed' ? (ending?.reason ?? 'failed') : undefined);
  }

  /** The run is left to the next process. */
  left(): void {
    this.#trace.end({ 'run.status': 'left' });
  }

  broken(error: Error, reason: RunReason): void {
    this.#error({ event: 'run.broken', err: error, reason }, 'run failed');
  }

  notSaved(error: Error): void {
    this.#error({ event: 'run.not_saved', err: error }, 'run state not saved');
  }

  notSealed(error: unknown): void {
    this.#error({ event: 'run.not_sealed', err: error }, 'run files not completed');
  }

  #error(fields: object, message: string): void {
    this.#log.error({ ...fields, run_id: this.#run.runId }, message);
  }
}
