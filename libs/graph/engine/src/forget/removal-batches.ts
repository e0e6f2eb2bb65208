import { NEVER_MS } from '#graph/memory';
import type { BatchWriter } from '#graph/storage';
import type { ChangePlan, RelationshipDelete } from '../plan/change-plan.ts';

const CHANGES_PER_BATCH = 64;

/** Collects changes into batches of a bounded size. */
export class Changes {
  readonly #record: (write: (batch: BatchWriter) => void) => Promise<void>;
  #waiting: ((batch: BatchWriter) => void)[] = [];

  constructor(record: (write: (batch: BatchWriter) => void) => Promise<void>) {
    this.#record = record;
  }

  async add(write: (batch: BatchWriter) => void): Promise<void> {
    this.#waiting.push(write);
    if (this.#waiting.length >= CHANGES_PER_BATCH) await this.flush();
  }

  async flush(): Promise<void> {
    const writes = this.#waiting.splice(0);
    if (writes.length === 0) return;
    await this.#record((batch) => {
      for (const write of writes) write(batch);
    });
  }
}

/** Deleted before all times: no reader sees the records, and no retention keeps them. */
export function expireAtOnce({ entities, relationships }: ChangePlan): void {
  for (const [id, change] of entities) entities.set(id, expiredNow(change));
  for (const [id, change] of relationships) relationships.set(id, expiredNow(change));
}

function expiredNow<T extends { readonly kind: string; readonly stamp: RelationshipDelete['stamp'] }>(
  change: T,
): T {
  return change.kind === 'delete' ? { ...change, stamp: { ...change.stamp, deletedAtMs: NEVER_MS } } : change;
}
