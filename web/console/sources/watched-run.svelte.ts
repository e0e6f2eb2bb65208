import { dataOf } from '../../kit/session/api-error.ts';
import { getConnectorRun, runConnector } from '../api/generated/sdk.gen.ts';
import type { RunDto } from '../api/generated/types.gen.ts';
import { faultOf } from '../../kit/session/loaded.svelte.ts';

/** Between two looks; the next is asked for when the last has been answered, so a slow page asks less. */
const PAUSE_MS = 400;

/** A run of a connector that was started here, followed to its end or until the view closes. */
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

  /** Watches a run until it ends. */
  follow(run: RunDto): void {
    if (this.#isClosed) return;
    this.#run = run;
    if (run.ended_at === null) this.#timer = setTimeout(() => void this.#look(run.run_id), PAUSE_MS);
    else this.#onEnded();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #look(runId: string): Promise<void> {
    try {
      this.follow(await dataOf(getConnectorRun({ path: { run_id: runId } })));
    } catch (error) {
      this.#fault = faultOf(error);
      this.#run = undefined;
    }
  }
}
