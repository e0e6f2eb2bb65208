import type { Store } from '#graph/storage';
import { MemoryGraph, type MemoryGraphOptions } from '../memory/memory-graph.ts';
import type { GraphLog } from './graph-options.ts';
import { Restoration } from './restoration.ts';

/** So many records since the image are read at open in a moment: no new image for fewer. */
const RECORDS_MIN = 10_000;
/** While the graph runs, an image is only saved when a seal took in as many as this. */
const RECORDS_OF_A_LARGE_SEAL = 200_000;

/** Keeps an image of memory beside the records, so that a large graph opens at once. */
export class ImageKeeper {
  readonly #storage: Store;
  readonly #log: GraphLog;
  readonly #recordsMin: number;
  #imageSeq = 0;
  /** Records applied when the image was taken, as the store counts them. */
  #imageRecords = 0;
  #saving: Promise<void> = Promise.resolve();

  constructor(storage: Store, log: GraphLog, recordsMin = RECORDS_MIN) {
    this.#storage = storage;
    this.#log = log;
    this.#recordsMin = recordsMin;
  }

  /** Memory as of the last record: from the image and what came since, else from the records alone. */
  async restore(options: MemoryGraphOptions): Promise<MemoryGraph> {
    const memory = await this.#load(options);
    const imageSeq = this.#imageSeq;
    const records = await new Restoration(this.#storage, memory).run(imageSeq);
    memory.publish(this.#storage.seq);
    this.#imageRecords = -records;
    if (records >= this.#recordsMin) await memory.seal();
    this.#log.info({ event: 'graph.opened', imageSeq, records }, 'opened graph');
    return memory;
  }

  /** To be called after each seal: saves an image when it was a large one. */
  async sealed(memory: MemoryGraph, recordsApplied: number): Promise<void> {
    if (recordsApplied - this.#imageRecords > RECORDS_OF_A_LARGE_SEAL)
      await this.#save(memory, recordsApplied);
  }

  /** Seals and saves when enough has changed for the next open to be the faster for it. */
  async close(memory: MemoryGraph, recordsApplied: number): Promise<void> {
    await this.#saving;
    if (recordsApplied - this.#imageRecords < this.#recordsMin) return;
    await memory.whenIdle();
    await memory.seal();
    await this.#save(memory, recordsApplied);
  }

  /** One at a time. A failure is logged: the records suffice. */
  #save(memory: MemoryGraph, recordsApplied: number): Promise<void> {
    this.#saving = this.#saving.then(async () => {
      try {
        const { seq, parts } = memory.exportImage();
        if (seq <= this.#imageSeq) return;
        await this.#storage.saveImage(seq, parts);
        this.#imageSeq = seq;
        this.#imageRecords = recordsApplied;
      } catch (error) {
        this.#log.warn({ event: 'graph.image_not_saved', err: error }, 'could not save the image');
      }
    });
    return this.#saving;
  }

  async #load(options: MemoryGraphOptions): Promise<MemoryGraph> {
    const image = await this.#storage.loadImage();
    if (image === undefined || image.seq > this.#storage.seq) return MemoryGraph.create(options);
    try {
      const memory = MemoryGraph.fromImage(image.seq, image.parts, options);
      this.#imageSeq = image.seq;
      return memory;
    } catch (error) {
      this.#log.warn({ event: 'graph.image_refused', err: error }, 'rebuilding the graph from its records');
      return MemoryGraph.create(options);
    }
  }
}
