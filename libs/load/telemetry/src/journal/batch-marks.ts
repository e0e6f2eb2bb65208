import { DomainError } from '#platform/foundation';
import type { EdgeInstance } from '../table/table-batch.ts';

/** How far the batches of one edge instance have come. */
export interface Mark {
  readonly edge: EdgeInstance;
  /** The last that was taken. */
  takenSeq: number;
  /** The last that is on disk: the same or an earlier one. */
  durableSeq: number;
}

/** Which batches of a run there are already: each instance numbers its own from 1, without gaps. */
export class BatchMarks {
  readonly #marks = new Map<string, Mark>();

  of(edge: EdgeInstance): Mark {
    const key = `${edge.edgeId}\n${edge.instanceId}`;
    const mark = this.#marks.get(key) ?? { edge, takenSeq: 0, durableSeq: 0 };
    this.#marks.set(key, mark);
    return mark;
  }

  /** Those that have batches on disk. */
  get durable(): readonly Mark[] {
    return [...this.#marks.values()].filter(({ durableSeq }) => durableSeq > 0);
  }

  /** What a journal says that was written before. */
  restore(edge: EdgeInstance, seq: number): void {
    const mark = this.of(edge);
    mark.takenSeq = mark.durableSeq = Math.max(mark.durableSeq, seq);
  }
}

/** Whether the batch is the next of its instance; one that was taken before is not. */
export function isNext(mark: Mark, seq: number): boolean {
  if (seq <= mark.takenSeq) return false;
  if (seq === mark.takenSeq + 1) return true;
  throw new DomainError(
    'CONFLICT',
    `expected batch ${mark.takenSeq + 1} of edge ${mark.edge.edgeId}, got ${seq}`,
  );
}
