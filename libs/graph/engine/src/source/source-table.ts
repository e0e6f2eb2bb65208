/**
 * What several sources state, by record, and the sources' priorities. Only records that their own content
 * does not tell all of have an entry: with a single source there is none. Entries are kept as their JSON
 * text, several times smaller than the objects; the writer sees the latest, readers what is published.
 */
import { decodeStatements } from './statement-record.ts';
import type { Statement } from './statement.ts';

interface Former {
  readonly seq: number;
  /** What stood there before; undefined: nothing. */
  readonly text: string | undefined;
}

const NO_PRIORITY = 0;

export class SourceTable {
  /** By the id of an entity or relationship. */
  readonly #texts = new Map<string, string>();
  readonly #priorities = new Map<string, number>();
  /** What readers still see, oldest first, of records that were changed since the last publication. */
  readonly #former = new Map<string, Former[]>();
  #formerPriorities: { readonly seq: number; readonly connectorId: string; readonly priority: number }[] = [];

  has(id: string): boolean {
    return this.#texts.size > 0 && this.#texts.has(id);
  }

  text(id: string): string | undefined {
    return this.#texts.get(id);
  }

  /** The writer's view; undefined when there is no entry. */
  statements(id: string): readonly Statement[] | undefined {
    const text = this.#texts.size === 0 ? undefined : this.#texts.get(id);
    return text === undefined ? undefined : decodeStatements(text);
  }

  readonly priorityOf = (connectorId: string): number => this.#priorities.get(connectorId) ?? NO_PRIORITY;

  /** An entry, or with null none, as of a sequence number that is yet to be published. */
  set(seq: number, id: string, text: string | null): void {
    const former = this.#former.get(id) ?? [];
    former.push({ seq, text: this.#texts.get(id) });
    this.#former.set(id, former);
    if (text === null) this.#texts.delete(id);
    else this.#texts.set(id, text);
  }

  setPriority(seq: number, connectorId: string, priority: number): void {
    this.#formerPriorities.push({ seq, connectorId, priority: this.priorityOf(connectorId) });
    this.#priorities.set(connectorId, priority);
  }

  /** An entry as it was stored, at open. */
  restore(id: string, text: string): void {
    this.#texts.set(id, text);
  }

  restorePriority(connectorId: string, priority: number): void {
    this.#priorities.set(connectorId, priority);
  }

  /** Readers see what was set up to `seq`. */
  publish(seq: number): void {
    for (const [id, former] of this.#former) {
      const pending = former.filter((entry) => entry.seq > seq);
      if (pending.length === 0) this.#former.delete(id);
      else this.#former.set(id, pending);
    }
    this.#formerPriorities = this.#formerPriorities.filter((entry) => entry.seq > seq);
  }

  /** Drops what was set after `seq`, which is not published: as if it had never come. */
  discard(seq: number): void {
    for (const [id, former] of this.#former) {
      const first = former.findIndex((entry) => entry.seq > seq);
      if (first < 0) continue;
      const { text } = former[first] ?? {};
      if (text === undefined) this.#texts.delete(id);
      else this.#texts.set(id, text);
      if (first === 0) this.#former.delete(id);
      else this.#former.set(id, former.slice(0, first));
    }
    const dropped = this.#formerPriorities.filter((entry) => entry.seq > seq);
    for (const { connectorId, priority } of dropped.reverse()) this.#priorities.set(connectorId, priority);
    this.#formerPriorities = this.#formerPriorities.filter((entry) => entry.seq <= seq);
  }

  /** The readers' view; undefined when there is no entry. */
  published(id: string): readonly Statement[] | undefined {
    const [former] = this.#former.get(id) ?? [];
    const text = former === undefined ? this.#texts.get(id) : former.text;
    return text === undefined ? undefined : decodeStatements(text);
  }

  readonly publishedPriorityOf = (connectorId: string): number => {
    const former = this.#formerPriorities.find((entry) => entry.connectorId === connectorId);
    return former?.priority ?? this.priorityOf(connectorId);
  };
}
