import { MemoryGraph, type MemoryGraphOptions } from '#graph/memory';
import type { Store } from '#graph/storage';
import type { GraphLog } from './graph-options.ts';
import { Restoration } from './restoration.ts';

/** Minimum number of records since the last image: fewer are read quickly at open. */
const RECORDS_MIN = 10_000;
/** Minimum number of records in a seal for saving an image while the graph is running. */
const RECORDS_OF_A_LARGE_SEAL = 200_000;

/** Maintains an image of memory beside the records, so that a large graph opens quickly. */
export class ImageKeeper {
  readonly #storage: Store;
  readonly #log: GraphLog;
  readonly #recordsMin: number;
  #imageSeq = 0;
  /** Number of applied records at the time of the image, as counted by the store. */
  #imageRecords = 0;
  #saving: Promise<void> = Promise.resolve();

  constructor(storage: Store, log: GraphLog, recordsMin = RECORDS_MIN) {
    this.#storage = storage;
    this.#log = log;
    this.#recordsMin = recordsMin;
  }

  /** Memory as of the last record: from the image and later records, else from all records. */
  async restore(options: MemoryGraphOptions): Promise<MemoryGraph> {
    const memory = await this.#load(options);
    const imageSeq = this.#imageSeq;
    const records = await new Restoration(this.#storage, memory).run(imageSeq);
    memory.publish(this.#storage.seq);
    this.#imageRecords = -records;
    if (records >= this.#recordsMin) await memory.seal();
    this.#log.info({ event: 'graph.opened', imageSeq, records }, 'graph opened');
    return memory;
  }

  /** Call after each seal: saves an image after a large one. */
  async sealed(memory: MemoryGraph, recordsApplied: number): Promise<void> {
    if (recordsApplied - this.#imageRecords > RECORDS_OF_A_LARGE_SEAL)
      await this.#save(memory, recordsApplied);
  }

  /** Seals and saves an image if there are enough changes to speed up the next open. */
  async close(memory: MemoryGraph, recordsApplied: number): Promise<void> {
    await this.#saving;
    if (recordsApplied - this.#imageRecords < this.#recordsMin) return;
    await memory.whenIdle();
    await memory.seal();
    await this.#save(memory, recordsApplied);
  }

  /**
   * Runs `work`, which drops the image, while none is saved; then saves one of a new seal. Resolves to what
   * `work` does.
   */
  async renewedBy<T>(work: () => Promise<T>, memory: MemoryGraph, recordsApplied: number): Promise<T> {
    const done = this.#saving.then(work);
    const renewed = done.then(async () => {
      this.#imageSeq = 0;
      await memory.whenIdle();
      await memory.seal();
      await this.#saveNow(memory, recordsApplied);
    });
    this.#saving = renewed.catch(() => undefined);
    await renewed;
    return done;
  }

  /** Saves one image at a time. A failure is only logged: the records suffice. */
  #save(memory: MemoryGraph, recordsApplied: number): Promise<void> {
    this.#saving = this.#saving.then(() => this.#saveNow(memory, recordsApplied));
    return this.#saving;
  }

  async #saveNow(memory: MemoryGraph, recordsApplied: number): Promise<void> {
    try {
      const { seq, parts } = memory.exportImage();
      if (seq <= this.#imageSeq) return;
      await this.#storage.saveImage(seq, parts);
      this.#imageSeq = seq;
      this.#imageRecords = recordsApplied;
    } catch (error) {
      this.#log.warn({ event: 'graph.image_not_saved', err: error }, 'graph image not saved');
    }
  }

  async #load(options: MemoryGraphOptions): Promise<MemoryGraph> {
    const image = await this.#storage.loadImage();
    if (image === undefined || image.seq > this.#storage.seq) return MemoryGraph.create(options);
    try {
      const memory = MemoryGraph.fromImage(image.seq, image.parts, options);
      this.#imageSeq = image.seq;
      return memory;
    } catch (error) {
      this.#log.warn(
        { event: 'graph.image_refused', err: error },
        'graph image rejected, rebuilding from records',
      );
      return MemoryGraph.create(options);
    }
  }
}
