import { type ApiError, dataOf } from '../../kit/session/api-error.ts';
import { faultOf } from '../../kit/session/loaded.svelte.ts';
import { route } from '../../kit/shell/hash-route.svelte.ts';
import { getRecentLoad, getRun, listEdges, listRuns } from '../api/generated/sdk.gen.ts';
import type { EdgeListDto, RecentLoadDto, RunDto, RunSummaryDto } from '../api/generated/types.gen.ts';

/** Pause between a response and the next request: edges report their progress once a second. */
const PAUSE_MS = 1_000;

/** The state of the hive, polled once a second: edges, runs, and the shown run. */
class HiveFeed {
  #edges = $state.raw<EdgeListDto['edges'] | undefined>();
  #runs = $state.raw<readonly RunSummaryDto[] | undefined>();
  #run = $state.raw<RunDto | undefined>();
  #recent = $state.raw<RecentLoadDto | undefined>();
  #fault = $state.raw<ApiError | undefined>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  get edges(): EdgeListDto['edges'] | undefined {
    return this.#edges;
  }

  /** The latest first, as many as on a page of the list. */
  get runs(): readonly RunSummaryDto[] | undefined {
    return this.#runs;
  }

  /** The run named by the address, else the latest; undefined without any. */
  get run(): RunDto | undefined {
    return this.#run;
  }

  get recent(): RecentLoadDto | undefined {
    return this.#recent;
  }

  get fault(): ApiError | undefined {
    return this.#fault;
  }

  async follow(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      await this.#look();
      this.#fault = undefined;
    } catch (error) {
      this.#fault = faultOf(error);
    }
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.follow(), PAUSE_MS);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const [{ edges }, { runs }] = await Promise.all([dataOf(listEdges()), dataOf(listRuns())]);
    const runId = route.parameters['id'] ?? runs[0]?.run_id;
    if (runId === undefined) this.#run = undefined;
    else {
      const path = { run_id: runId };
      const [run, recent] = await Promise.all([dataOf(getRun({ path })), dataOf(getRecentLoad({ path }))]);
      this.#run = run;
      this.#recent = recent;
    }
    this.#edges = edges;
    this.#runs = runs;
  }
}

/** The instance of this page. */
export const hive = new HiveFeed();
