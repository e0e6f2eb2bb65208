import type { Store } from '#graph/storage';
import type { Clock } from '#platform/foundation';
import type { PlanGround } from '../plan/request-planner.ts';
import type { GraphLog, GraphMemoryOptions } from './graph-options.ts';
import { ImageKeeper } from './image-keeper.ts';
import { loadSources } from './record-sources.ts';

export interface StoreReaderOptions extends GraphMemoryOptions {
  readonly clock: Clock;
  readonly log: GraphLog;
  readonly retentionMs: number;
}

/** Loads the memory of a store as of its last batch. */
export class StoreReader {
  readonly #storage: Store;
  readonly #options: StoreReaderOptions;
  #images: ImageKeeper;
  #onSealed: () => void = () => undefined;

  constructor(storage: Store, options: StoreReaderOptions) {
    this.#storage = storage;
    this.#options = options;
    this.#images = this.#newImages();
  }

  /** The image keeper of the last load. */
  get images(): ImageKeeper {
    return this.#images;
  }

  /** Calls `listener` after each seal of the last loaded memory. */
  onSealed(listener: () => void): void {
    this.#onSealed = listener;
  }

  async read(): Promise<PlanGround> {
    const { clock, log, retentionMs } = this.#options;
    const images = this.#newImages();
    this.#images = images;
    const memory = await images.restore({
      ...this.#options.memory,
      retentionMs,
      nowMs: () => clock.nowMs(),
      onSealed: () => {
        if (images === this.#images) this.#onSealed();
      },
      onSealFailed: (error) => {
        log.warn({ event: 'graph.seal_failed', err: error }, 'graph seal failed');
      },
    });
    return { memory, sources: await loadSources(this.#storage) };
  }

  #newImages(): ImageKeeper {
    return new ImageKeeper(this.#storage, this.#options.log, this.#options.imageRecordsMin);
  }
}
