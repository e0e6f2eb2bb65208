import { dataOf } from '../../kit/session/api-error.ts';
import { getConnectorRun, runConnector, stopConnectorRun } from '../api/generated/sdk.gen.ts';
import type { RunDto } from '../api/generated/types.gen.ts';
import { faultOf } from '../../kit/session/loaded.svelte.ts';

/**
 * Pause between two polls; the next one waits for the previous answer, so a slow page polls less (ADR 0215).
 */
const PAUSE_MS = 400;
/** Pause after a failed poll: the service may be restarting. */
const RETRY_MS = 2_000;

/** A run of a connector started in this view, followed to its end or until the view closes. */
export class WatchedRun {
  #run = $state.raw<RunDto | undefined>();
  #fault = $state.raw<ReturnType<typeof faultOf> | undefined>();
  #isStarting = $state(false);
  #isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #onEnded: () => void;

  constructor(onEnded: () => void) {
    this.#onEnded = onEnded;
  }

  get run(): RunDto | undefined {
    return this.#run;
  }

  get fault(): ReturnType<typeof faultOf> | undefined {
    return this.#fault;
  }

  get isRunning(): boolean {
    return this.#isStarting || this.#run?.ended_at === null;
  }

  async start(id: string, force: boolean): Promise<void> {
    this.#isStarting = true;
    this.#fault = undefined;
    try {
      this.follow(await dataOf(runConnector({ path: { id }, body: { force } })));
    } catch (error) {
      this.#fault = faultOf(error);
    } finally {
      this.#isStarting = false;
    }
  }

  /** Stops the run; polling shows its end. */
  async stop(): Promise<void> {
    if (this.#run === undefined) return;
    try {
      await dataOf(stopConnectorRun({ path: { run_id: this.#run.run_id } }));
    } catch (error) {
      this.#fault = faultOf(error);
    }
  }

  /** Polls a run until it ends. */
  follow(run: RunDto): void {
    if (this.#isClosed) return;
    this.#run = run;
    if (run.ended_at === null) this.#lookIn(PAUSE_MS, run.run_id);
    else this.#onEnded();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #lookIn(pauseMs: number, runId: string): void {
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#look(runId), pauseMs);
  }

  async #look(runId: string): Promise<void> {
    try {
      const run = await dataOf(getConnectorRun({ path: { run_id: runId } }));
      this.#fault = undefined;
      this.follow(run);
    } catch (error) {
      this.#fault = faultOf(error);
      const { status } = this.#fault;
      if (status === 0 || status >= 500) this.#lookIn(RETRY_MS, runId);
      else this.#run = undefined;
    }
  }
}
