/**
 * How far a store is read: sequence numbers of the last batch that is in memory, of the last one that readers
 * see, and of the last one that changed the graph. Published batches are applied.
 */
export class SeqProgress {
  #applied: number;
  #published: number;
  #changed: number;

  /** Everything up to `seq` is in memory, and published. */
  constructor(seq: number) {
    this.#applied = seq;
    this.#published = seq;
    this.#changed = seq;
  }

  get applied(): number {
    return this.#applied;
  }

  get published(): number {
    return this.#published;
  }

  /** Of the last change of the published graph: documents and replies do not count. */
  get changed(): number {
    return Math.min(this.#changed, this.#published);
  }

  /** Whether readers see all that is in memory. */
  get isPublished(): boolean {
    return this.#applied <= this.#published;
  }

  apply(seq: number, { isChange }: { readonly isChange: boolean }): void {
    this.#applied = seq;
    if (isChange) this.#changed = seq;
  }

  /** Publishes what is applied, as far as it is durable; returns whether there was something. */
  publish(durable: number): boolean {
    const seq = Math.min(durable, this.#applied);
    if (seq <= this.#published) return false;
    this.#published = seq;
    return true;
  }

  /** Drops applied batches after a number, all of them unpublished. */
  discard(seq: number): void {
    this.#applied = seq;
    this.#changed = Math.min(this.#changed, seq);
  }
}
