/**
 * When something of each type, class and verb last changed (ADR 0220): whoever remembers an answer learns
 * whether it holds still. *Hot path* of ingest.
 *
 * - The numbers are the writer's: what is not durable counts as changed, and so does what was dropped again.
 *   None is ever less than that of a change that readers see.
 * - A record that is seen again keeps its content: it counts for those only who read stamps.
 * - Hints (which names, verbs, properties and kinds there are) are of overwritten and deleted content too,
 *   until a seal forgets it: then all that the delta held counts as changed once more.
 */
import type { Footprint } from '#graph/model';

interface Entry {
  /** Of its last change. */
  seq: number;
  /** The seal that forgot hints of it last, by number. */
  seal: number;
}

/** A state of the graph, to compare a later one with. */
export interface ChangeMark {
  readonly log: ChangeLog;
  readonly seq: number;
  readonly seals: number;
}

/** Of one history: what is read of the store anew has another one. */
export class ChangeLog {
  readonly #names = new Map<string, Entry>();
  readonly #verbs = new Map<string, Entry>();
  readonly #entities: Entry = { seq: 0, seal: 0 };
  readonly #relationships: Entry = { seq: 0, seal: 0 };
  /** When a record was last seen again. */
  #touchedSeq = 0;
  /** When the graph last became empty, or was. */
  #emptySeq = 0;
  #seals = 0;

  /** What a snapshot of this number sees that is taken now. */
  mark(seq: number): ChangeMark {
    return { log: this, seq, seals: this.#seals };
  }

  /** Whether an answer with this footprint may be another than at the mark; false only if it cannot. */
  hasChanged({ names, verbs, readsStamps }: Footprint, mark: ChangeMark): boolean {
    if (mark.log !== this || this.#emptySeq > mark.seq) return true;
    if (readsStamps && this.#touchedSeq > mark.seq) return true;
    const entities = names === '*' ? [this.#entities] : names.map((name) => this.#names.get(name));
    const links =
      verbs === '*' ? [this.#relationships] : verbs.map((verb) => this.#verbs.get(verb.toUpperCase()));
    return entities.some((entry) => isLater(entry, mark)) || links.some((entry) => isLater(entry, mark));
  }

  /** One of this type and class has come, gone, or other content. */
  entity(seq: number, type: string, className: string): void {
    this.#entities.seq = seq;
    note(this.#names, type, seq);
    if (className !== type) note(this.#names, className, seq);
  }

  /** The verb in upper case. */
  relationship(seq: number, verb: string): void {
    this.#relationships.seq = seq;
    note(this.#verbs, verb, seq);
  }

  touched(seq: number): void {
    this.#touchedSeq = seq;
  }

  /** The graph becomes empty, or was. */
  emptied(seq: number): void {
    this.#emptySeq = seq;
  }

  /** A seal: hints of what was written after `seq` may be lost. */
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

/** What is not known has not changed since there is a log. */
function isLater(entry: Entry | undefined, mark: ChangeMark): boolean {
  return entry !== undefined && (entry.seq > mark.seq || entry.seal > mark.seals);
}
