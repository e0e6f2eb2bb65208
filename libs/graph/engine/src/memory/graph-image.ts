/** A base as the parts of an image: first its description in JSON, then its buffers in their order. */
import { BufferBag } from './array/buffer-bag.ts';
import type { BaseMeta } from './base/base-meta.ts';
import { Base } from './base/base.ts';

export interface ImageBytes {
  readonly bytes: Uint8Array;
  /** Whether compressing pays: text, not numbers. */
  readonly compress: boolean;
}

export function imageOf({ meta, bag }: Base): ImageBytes[] {
  const texts = new Set([...meta.nodeArena, ...meta.linkArena]);
  const description = { bytes: Buffer.from(JSON.stringify(meta), 'utf8'), compress: true };
  return [description, ...bag.buffers.map((bytes, part) => ({ bytes, compress: texts.has(part) }))];
}

/** Throws when the parts are no base of this format as of `seq`. */
export function baseOf(seq: number, [description, ...buffers]: readonly Uint8Array[]): Base {
  if (description === undefined) throw new RangeError('an image has at least one part');
  const meta = JSON.parse(Buffer.from(description).toString('utf8')) as BaseMeta;
  if (meta.seq !== seq)
    throw new RangeError(`expected an image as of ${String(seq)}, got ${String(meta.seq)}`);
  return new Base(meta, new BufferBag(buffers));
}
