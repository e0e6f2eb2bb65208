/**
 * The statements of several sources, by record, and the sources' priorities. Records whose content implies
 * their statements have no entry: those with a single source. Entries are stored as JSON text, which is
 * several times smaller than the objects. The writer sees the latest entries, readers the published ones.
 */
import { decodeStatements } from './statement-record.ts';
import type { Statement } from './statement.ts';

interface Former {
  readonly seq: number;
  /** The previous entry; undefined if there was none. */
  readonly text: string | undefined;
}

const NO_PRIORITY = 0;

export class SourceTable {
  /** Encoded statements by the id of an entity or relationship. */
  readonly #texts = new Map<string, string>();
  readonly #priorities = new Map<string, number>();
  /** The published entries of records changed since the last publication, oldest first. */
  readonly #former = new Map<string, Former[]>();
  #formerPriorities: { readonly seq: number; readonly connectorId: string; readonly priority: number }[] = [];

  has(id: string): boolean {
    return this.#texts.size > 0 && this.#texts.has(id);
  }

  text(id: string): string | undefined {
    return this.#texts.get(id);
  }

  /** The writer's view; undefined if there is no entry. */
  statements(id: string): readonly Statement[] | undefined {
    const text = this.#texts.size === 0 ? undefined : this.#texts.get(id);
    return text === undefined ? undefined : decodeStatements(text);
  }

  readonly priorityOf = (connectorId: string): number => this.#priorities.get(connectorId) ?? NO_PRIORITY;

  /** Sets an entry, or removes it with null, as of an unpublished sequence number. */
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

  /** Sets a stored entry at open. */
  restore(id: string, text: string): void {
    this.#texts.set(id, text);
  }

  restorePriority(connectorId: string, priority: number): void {
    this.#priorities.set(connectorId, priority);
  }

  /** Makes changes up to `seq` visible to readers. */
  publish(seq: number): void {
    for (const [id, former] of this.#former) {
      const pending = former.filter((entry) => entry.seq > seq);
      if (pending.length === 0) this.#former.delete(id);
      else this.#former.set(id, pending);
    }
    this.#formerPriorities = this.#formerPriorities.filter((entry) => entry.seq > seq);
  }

  /** Drops the changes after `seq`, which must be unpublished. */
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

  /** The readers' view; undefined if there is no entry. */
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
