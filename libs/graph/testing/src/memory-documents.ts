import { UNSHARED } from '#graph/engine';
import { DomainError } from '#platform/foundation';

interface Document {
  readonly id: string;
  /** JSON; `undefined` removes the document. */
  readonly value: unknown;
}

/** The documents of one namespace of a single process, in memory. */
export class MemoryDocuments {
  readonly exclusively = UNSHARED.exclusively;
  readonly onForeign = UNSHARED.onForeign;
  readonly values = new Map<string, string>();
  /** Whether changes are refused. */
  isBroken = false;

  async change(_namespace: string, changes: readonly Document[]): Promise<void> {
    if (this.isBroken) throw new DomainError('STORE_UNAVAILABLE', 'the disk is gone');
    for (const { id, value } of changes) {
      if (value === undefined) this.values.delete(id);
      else this.values.set(id, JSON.stringify(value));
    }
  }

  async get(_namespace: string, id: string): Promise<unknown> {
    const text = this.values.get(id);
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** In the order of their ids. */
  async *all(_namespace: string, idPrefix = ''): AsyncIterable<Document> {
    for (const [id, text] of [...this.values].sort()) {
      if (id.startsWith(idPrefix)) yield { id, value: JSON.parse(text) };
    }
  }
}
