import type { PartialRelationships, UnreadEntities } from '#graph/model';
import { DomainError } from '#platform/foundation';

const KINDS_MAX = 100;
const OTHER_KINDS = 'other kinds';

/** What steps could not resolve, or do not read. */
export class Omissions {
  readonly #partial = new Map<string, PartialRelationships>();
  readonly #ignored = new Map<string, number>();
  readonly #unread: UnreadEntities[] = [];
  #unresolvedCount = 0;
  #externalCount = 0;

  get unresolvedCount(): number {
    return this.#unresolvedCount;
  }

  get externalCount(): number {
    return this.#externalCount;
  }

  /** The relationships that the unresolved references would have led to. */
  get partialRelationships(): readonly PartialRelationships[] {
    return [...this.#partial.values()];
  }

  /** Entities of parts that could not be read. */
  get unread(): readonly UnreadEntities[] {
    return this.#unread;
  }

  /** Counts of ignored content by kind, the most frequent first. */
  get ignored(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#ignored].sort(([, a], [, b]) => b - a));
  }

  /** Returns whether these relationships are new. */
  addUnresolved(partial: PartialRelationships): boolean {
    this.#unresolvedCount++;
    const { verb, end, type, key } = partial;
    const size = this.#partial.size;
    this.#partial.set([verb.toUpperCase(), end, type, key].join('\0'), partial);
    return this.#partial.size > size;
  }

  addUnread(entities: UnreadEntities): void {
    this.#unread.push(entities);
  }

  /** Returns the number so far. */
  addExternal(): number {
    return ++this.#externalCount;
  }

  /** Kinds beyond the first 100 are counted together. Throws INVALID_REQUEST for a count below 0. */
  addIgnored(kind: string, count: number): void {
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new DomainError('INVALID_REQUEST', `ignored ${kind}: expected a count from 0, got ${count}`);
    }
    if (count === 0) return;
    const name = this.#ignored.has(kind) || this.#ignored.size < KINDS_MAX ? kind : OTHER_KINDS;
    this.#ignored.set(name, (this.#ignored.get(name) ?? 0) + count);
  }

  addAll(other: Omissions): void {
    for (const [identity, partial] of other.#partial) this.#partial.set(identity, partial);
    for (const [kind, count] of other.#ignored) this.addIgnored(kind, count);
    for (const entities of other.#unread) this.#unread.push(entities);
    this.#unresolvedCount += other.#unresolvedCount;
    this.#externalCount += other.#externalCount;
  }
}
