import { BufferBag } from '../array/buffer-bag.ts';
import { IdIndex } from '../name/id-index.ts';
import { BASE_FORMAT } from './base-meta.ts';
import { Base } from './base.ts';

/** A base with nothing in it. */
export function emptyBase(): Base {
  const bag = new BufferBag();
  const none = bag.put(new Uint8Array(new SharedArrayBuffer(0)));
  const ref = { part: none, itemBytes: 1 } as const;
  bag.uint32(IdIndex.slotsFor(0));
  const index = bag.last;
  const meta = {
    format: BASE_FORMAT,
    seq: 0,
    nodeCount: 0,
    liveNodes: 0,
    linkCount: 0,
    liveLinks: 0,
    ownerSets: [],
    verbs: [],
    sourcePairs: [],
    segments: [],
    blocks: [],
    nodeArena: [],
    linkArena: [],
    stampNumbers: none,
    stampSources: none,
    node: { references: none, stamps: ref, owners: ref, index },
    link: {
      from: none,
      to: none,
      verbs: ref,
      references: none,
      stamps: ref,
      owners: ref,
      bits: none,
      index,
      inLinks: none,
      inNodes: none,
    },
  };
  return new Base(meta, bag);
}
