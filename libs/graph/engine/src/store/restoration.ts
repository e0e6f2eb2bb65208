/**
 * Loads missing records into memory: all of them, or those later than the image. Entities precede
 * relationships, which need their ends. Everything is applied as of the last sequence number: there are no
 * readers while a graph opens.
 */
import type { MemoryGraph } from '#graph/memory';
import type { Store } from '#graph/storage';
import { RECORD_KIND } from '../record/record-key.ts';
import { type MergedRecord, mergedRecords } from './merged-records.ts';
import { RecordApplication } from './record-application.ts';

export class Restoration {
  readonly #storage: Store;
  readonly #seq: number;
  readonly #application: RecordApplication;
  #records = 0;

  constructor(storage: Store, memory: MemoryGraph) {
    this.#storage = storage;
    this.#seq = storage.seq;
    this.#application = new RecordApplication(memory);
  }

  /** Resolves to the number of records applied. */
  async run(sinceSeq: number): Promise<number> {
    if (sinceSeq >= this.#seq) return 0;
    const options = { sinceSeq, includeDeleted: true };
    const { entity, relationship } = RECORD_KIND;
    for await (const chunk of mergedRecords(this.#storage, entity, options)) this.#entities(chunk);
    for await (const chunk of mergedRecords(this.#storage, relationship, options)) this.#relationships(chunk);
    return this.#records;
  }

  #entities(chunk: readonly MergedRecord[]): void {
    for (const { key, record, lastSeen } of chunk) {
      this.#records++;
      if (record !== undefined) this.#application.putEntity(this.#seq, record, lastSeen);
      else if (lastSeen !== undefined) this.#application.touchEntity(this.#seq, key, lastSeen);
    }
  }

  #relationships(chunk: readonly MergedRecord[]): void {
    for (const { key, record, lastSeen } of chunk) {
      this.#records++;
      if (record !== undefined) this.#application.putRelationship(this.#seq, record, lastSeen);
      else if (lastSeen !== undefined) this.#application.touchRelationship(this.#seq, key, lastSeen);
    }
  }
}
