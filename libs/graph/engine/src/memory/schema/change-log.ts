/**
 * The last change of each type, class and verb (ADR 0220), with which caches determine whether a result is
 * still valid. *Hot path* of ingest.
 *
 * - The numbers are the writer's: changes that are not durable, or were dropped again, count too. A number is
 *   never less than that of a change visible to readers.
 * - A touched record keeps its content: it counts only for readers of stamps.
 * - Hints (the existing names, verbs, properties and kinds) include overwritten and deleted content until a
 *   seal removes it: then all content of the delta counts as changed once more.
 */
import type { Footprint } from '#graph/model';

interface Entry {
  /** Sequence number of its last change. */
  seq: number;
  /** Number of the last seal that removed hints of it. */
  seal: number;
}

/** A state of the graph, for comparison with a later one. */
export interface ChangeMark {
  readonly log: ChangeLog;
  readonly seq: number;
  readonly seals: number;
}

/** The change log of one history; a reload of the store starts another one. */
export class ChangeLog {
  readonly #names = new Map<string, Entry>();
  readonly #verbs = new Map<string, Entry>();
  readonly #entities: Entry = { seq: 0, seal: 0 };
  readonly #relationships: Entry = { seq: 0, seal: 0 };
  /** The last touch of any record. */
  #touchedSeq = 0;
  /** The last time the graph became empty, or stopped being empty. */
  #emptySeq = 0;
  #seals = 0;

  /** The mark of a snapshot with this number that is taken now. */
  mark(seq: number): ChangeMark {
    return { log: this, seq, seals: this.#seals };
  }

  /** Whether a result with this footprint may differ from the one at the mark; false only if it cannot. */
  hasChanged({ names, verbs, readsStamps }: Footprint, mark: ChangeMark): boolean {
    if (mark.log !== this || this.#emptySeq > mark.seq) return true;
    if (readsStamps && this.#touchedSeq > mark.seq) return true;
    const entities = names === '*' ? [this.#entities] : names.map((name) => this.#names.get(name));
    const links =
      verbs === '*' ? [this.#relationships] : verbs.map((verb) => this.#verbs.get(verb.toUpperCase()));
    return entities.some((entry) => isLater(entry, mark)) || links.some((entry) => isLater(entry, mark));
  }

  /** Records that an entity of this type and class was added, deleted or changed. */
  entity(seq: number, type: string, className: string): void {
    this.#entities.seq = seq;
    note(this.#names, type, seq);
    if (className !== type) note(this.#names, className, seq);
  }

  /** `verb` is in upper case. */
  relationship(seq: number, verb: string): void {
    this.#relationships.seq = seq;
    note(this.#verbs, verb, seq);
  }

  touched(seq: number): void {
    this.#touchedSeq = seq;
  }

  /** Records that the graph becomes empty, or stops being empty. */
  emptied(seq: number): void {
    this.#emptySeq = seq;
  }

  /** Records a seal: hints of writes after `seq` may be lost. */
  sealed(seq: number): void {
    this.#seals++;
    const all = [this.#entities, this.#relationships, ...this.#names.values(), ...this.#verbs.values()];
    for (const entry of all) if (entry.seq > seq) entry.seal = this.#seals;
  }
}

function note(entries: Map<string, Entry>, name: string, seq: number): void {
  const known = entries.get(name);
  if (known === undefined) entries.set(name, { seq, seal: 0 });
  else known.seq = seq;
}

/** Unknown names have not changed since the start of the log. */
function isLater(entry: Entry | undefined, mark: ChangeMark): boolean {
  return entry !== undefined && (entry.seq > mark.seq || entry.seal > mark.seals);
}
