/**
 * Which records were put or deleted after which sequence number, for as long as an open transaction, or one
 * that begins before the publication, may have to know it. Bounded: a transaction that began before what is
 * kept counts as overtaken.
 */
import type { WrittenRecords } from '../plan/change-plan.ts';

interface RecentBatch extends WrittenRecords {
  readonly seq: number;
}

/** A batch whose ids are not collected yet. */
interface UnpublishedBatch {
  readonly seq: number;
  readonly collect: () => WrittenRecords;
}

export interface WrittenIds {
  readonly entities: ReadonlySet<string>;
  readonly relationships: ReadonlySet<string>;
}

/** Ids that are kept at most. */
const IDS_MAX = 1_000_000;

export class RecentWrites {
  readonly #idsMax: number;
  readonly #bases = new Map<object, number>();
  /** Applied while no transaction was open: most of them are published before one begins. */
  #unpublished: UnpublishedBatch[] = [];
  #batches: RecentBatch[] = [];
  #ids = 0;
  /** Batches after this number are known. */
  #knownAfter: number;
  #publishedSeq: number;

  constructor(seq: number, idsMax = IDS_MAX) {
    this.#knownAfter = seq;
    this.#publishedSeq = seq;
    this.#idsMax = idsMax;
  }

  /** Keeps what is written after `seq`, which must be the published number or a later one, until `close`. */
  open(seq: number): { readonly close: () => void } {
    const basis = {};
    this.#bases.set(basis, seq);
    for (const batch of this.#unpublished) this.#keep(batch.seq, batch.collect());
    this.#unpublished = [];
    return {
      close: () => {
        this.#bases.delete(basis);
        this.#prune();
      },
    };
  }

  /** `collect` is called when a transaction may have to know the batch. *Hot path* of ingest. */
  note(seq: number, collect: () => WrittenRecords): void {
    if (this.#bases.size === 0) this.#unpublished.push({ seq, collect });
    else this.#keep(seq, collect());
  }

  /**
   * The records written after `seq`, except by the batches `own`; undefined if that is not known. Asked by an
   * open transaction.
   */
  since(seq: number, own: ReadonlySet<number>): WrittenIds | undefined {
    if (seq < this.#knownAfter) return undefined;
    const others = this.#batches.filter((batch) => batch.seq > seq && !own.has(batch.seq));
    return {
      entities: new Set(others.flatMap(({ entities }) => entities)),
      relationships: new Set(others.flatMap(({ relationships }) => relationships)),
    };
  }

  publish(seq: number): void {
    this.#publishedSeq = seq;
    this.#prune();
  }

  /** Drops the batches after `seq`, which must be unpublished. */
  discard(seq: number): void {
    this.#unpublished = this.#unpublished.filter((batch) => batch.seq <= seq);
    this.#batches = this.#batches.filter((batch) => batch.seq <= seq);
    this.#ids = this.#batches.reduce((total, batch) => total + idsIn(batch), 0);
  }

  #keep(seq: number, { entities, relationships }: WrittenRecords): void {
    const batch = { seq, entities, relationships };
    this.#batches.push(batch);
    this.#ids += idsIn(batch);
    while (this.#ids > this.#idsMax && this.#batches.length > 1) this.#dropFirst();
  }

  #prune(): void {
    const needed = Math.min(this.#publishedSeq, ...this.#bases.values());
    while (this.#batches[0] !== undefined && this.#batches[0].seq <= needed) this.#dropFirst();
    if (this.#unpublished.length === 0) return;
    this.#unpublished = this.#unpublished.filter((batch) => batch.seq > needed);
    this.#knownAfter = Math.max(this.#knownAfter, needed);
  }

  #dropFirst(): void {
    const first = this.#batches.shift();
    if (first === undefined) return;
    this.#ids -= idsIn(first);
    this.#knownAfter = Math.max(this.#knownAfter, first.seq);
  }
}

function idsIn({ entities, relationships }: WrittenRecords): number {
  return entities.length + relationships.length;
}
