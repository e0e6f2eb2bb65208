/**
 * The last change of each type, class, label and verb (ADR 0220), with which caches determine whether a
 * result is still valid. *Hot path* of ingest.
 *
 * - The numbers are the writer's: changes that are not durable, or were dropped again, count too. A number is
 *   never less than that of a change visible to readers.
 * - A touched record keeps its content: it counts only for readers of stamps.
 */
import type { Footprint } from '#graph/model';
import type { Named } from '../column/labels-field.ts';

/** A state of the graph, for comparison with a later one. */
export interface ChangeMark {
  readonly log: ChangeLog;
  readonly seq: number;
}

/** The change log of one history; a reload of the store starts another one. */
export class ChangeLog {
  /** Sequence number of the last change of each. */
  readonly #names = new Map<string, number>();
  readonly #verbs = new Map<string, number>();
  #entitiesSeq = 0;
  #relationshipsSeq = 0;
  /** The last touch of any record. */
  #touchedSeq = 0;
  /** The last time the graph became empty, or stopped being empty. */
  #emptySeq = 0;

  /** The mark of a snapshot with this number that is taken now. */
  mark(seq: number): ChangeMark {
    return { log: this, seq };
  }

  /** Whether a result with this footprint may differ from the one at the mark; false only if it cannot. */
  hasChanged({ names, verbs, readsStamps }: Footprint, mark: ChangeMark): boolean {
    if (mark.log !== this || this.#emptySeq > mark.seq) return true;
    if (readsStamps && this.#touchedSeq > mark.seq) return true;
    const entities = names === '*' ? [this.#entitiesSeq] : names.map((name) => this.#names.get(name));
    const links =
      verbs === '*' ? [this.#relationshipsSeq] : verbs.map((verb) => this.#verbs.get(verb.toUpperCase()));
    // Unknown names have not changed since the start of the log.
    return [...entities, ...links].some((seq = 0) => seq > mark.seq);
  }

  /** Records that an entity with these names was added, deleted or changed. */
  entity(seq: number, { type, class: className, labels }: Named): void {
    this.#entitiesSeq = seq;
    this.#names.set(type, seq);
    if (className !== type) this.#names.set(className, seq);
    if (labels !== undefined) for (const label of labels) this.#names.set(label, seq);
  }

  /** `verb` is in upper case. */
  relationship(seq: number, verb: string): void {
    this.#relationshipsSeq = seq;
    this.#verbs.set(verb, seq);
  }

  touched(seq: number): void {
    this.#touchedSeq = seq;
  }

  /** Records that the graph becomes empty, or stops being empty. */
  emptied(seq: number): void {
    this.#emptySeq = seq;
  }
}
