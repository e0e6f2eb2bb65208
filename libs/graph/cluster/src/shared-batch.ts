/** A batch of the shared log, and the parts in which a row of the database holds it. */
import { PART_BYTES_MAX } from './schema.ts';

/** In another history, another batch has the number. */
export interface BatchName {
  readonly seq: number;
  readonly id: string;
}

/** A batch in the encoding of a local log, without its frame. */
export interface SharedBatch extends BatchName {
  readonly atMs: number;
  readonly body: Buffer;
}

export interface Frame {
  readonly seq: number;
  readonly part: number;
  readonly bytes: number;
  readonly body: Buffer;
}

export function framesOf({ seq, body }: SharedBatch): readonly Frame[] {
  return Array.from({ length: partsOf(body) }, (_, part) => {
    const piece = body.subarray(part * PART_BYTES_MAX, (part + 1) * PART_BYTES_MAX);
    return { seq, part, bytes: piece.length, body: piece };
  });
}

/** The number of rows that hold a body. */
export function partsOf(body: Buffer): number {
  return Math.max(1, Math.ceil(body.length / PART_BYTES_MAX));
}
