import { DomainError } from '#platform/foundation';
import type { EdgeInstance } from '../table/table-batch.ts';

/** The progress of one edge instance's batches. */
export interface Mark {
  readonly edge: EdgeInstance;
  /** The last accepted batch. */
  takenSeq: number;
  /** The last batch on disk: the same or an earlier one. */
  durableSeq: number;
}

/** The batches received in a run. Each edge instance numbers its batches from 1, without gaps. */
export class BatchMarks {
  readonly #marks = new Map<string, Mark>();

  of(edge: EdgeInstance): Mark {
    const key = `${edge.edgeId}\n${edge.instanceId}`;
    const mark = this.#marks.get(key) ?? { edge, takenSeq: 0, durableSeq: 0 };
    this.#marks.set(key, mark);
    return mark;
  }

  /** The instances with batches on disk. */
  get durable(): readonly Mark[] {
    return [...this.#marks.values()].filter(({ durableSeq }) => durableSeq > 0);
  }

  /** Restores a mark from an existing journal. */
  restore(edge: EdgeInstance, seq: number): void {
    const mark = this.of(edge);
    mark.takenSeq = mark.durableSeq = Math.max(mark.durableSeq, seq);
  }
}

/** True for the next batch of the instance, false for a repeated one. Throws CONFLICT after a gap. */
export function isNext(mark: Mark, seq: number): boolean {
  if (seq <= mark.takenSeq) return false;
  if (seq === mark.takenSeq + 1) return true;
  throw new DomainError(
    'CONFLICT',
    `expected batch ${mark.takenSeq + 1} of edge ${mark.edge.edgeId}, got ${seq}`,
  );
}
