/**
 * Builds the next base from the last one and the delta. A pure function of its input; runs in a worker.
 * *Hot path*.
 *
 * 1. Order the nodes.
 * 2. For each type, read its heads, compress the new ones, and build the columns: dictionaries are copied
 *    code by code, only new content is scanned.
 * 3. Index the names of the live nodes by three bytes in a row.
 * 4. Order the links by (verb, from, to), and build the blocks of both directions.
 */
import { Arena } from '../array/arena.ts';
import { BufferBag, type UnsignedArray } from '../array/buffer-bag.ts';
import { BASE_FORMAT, type BaseMeta } from '../base/base-meta.ts';
import { buildHashIndex, type HashIndexMeta } from '../name/hash-index.ts';
import { GramBuilder } from '../search/gram-builder.ts';
import { StampTable } from '../stamp/stamp-table.ts';
import { buildBlocks, orderInLinks } from './build-blocks.ts';
import { buildColumns } from './build-columns.ts';
import { HeadPacker } from './head-packer.ts';
import { orderLinks, type LinkOrder } from './link-order.ts';
import { orderNodes, type NodeOrder } from './node-order.ts';
import { RawHeads } from './raw-heads.ts';
import { GONE, type SealInput, type SealOutput } from './seal-input.ts';
import { SealSources } from './seal-sources.ts';

interface Work {
  readonly sources: SealSources;
  readonly bag: BufferBag;
  readonly stamps: StampMerger;
}

export function buildBase(input: SealInput): SealOutput {
  const sources = new SealSources(input);
  const work: Work = {
    sources,
    bag: new BufferBag(),
    stamps: new StampMerger(sources.base.stamps, sources.stamps),
  };
  const nodes = orderNodes(sources);
  const nodeMap = inverse(nodes.order, input.nodes.bound);
  const links = orderLinks(sources, nodeMap);
  const meta: BaseMeta = {
    format: BASE_FORMAT,
    seq: input.seq,
    nodeCount: nodes.order.length,
    liveNodes: nodes.liveNodes,
    linkCount: links.order.length,
    liveLinks: links.liveLinks,
    ownerSets: input.ownerSets,
    verbs: input.verbs,
    ...buildNodes(work, nodes),
    ...buildLinks(work, links, nodes),
    ...putStamps(work),
  };
  return { meta, buffers: work.bag.buffers, nodeMap, linkMap: inverse(links.order, input.links.bound) };
}

function inverse(order: Uint32Array, bound: number): Uint32Array {
  const map = new Uint32Array(new SharedArrayBuffer(bound * 4)).fill(GONE);
  for (let at = 0; at < order.length; at++) map[order[at]!] = at;
  return map;
}

function buildNodes(
  work: Work,
  { order, runs, liveNodes }: NodeOrder,
): Pick<BaseMeta, 'node' | 'nodeArena' | 'segments' | 'grams'> {
  const { sources, bag } = work;
  const ids = bag.uint32(order.length * 4);
  const idsPart = bag.last;
  for (let node = 0; node < order.length; node++) sources.readNodeId(order[node]!, ids, node * 4);
  const references = bag.uint32(order.length);
  const referencesPart = bag.last;
  const hashes = references.map((_, node) => ids[node * 4]!);
  const index = buildHashIndex(bag, { hashes, bound: order.length });
  const packer = new HeadPacker(sources, bag);
  const grams = new GramBuilder(bag, liveNodes);
  const segments = runs.map((run) => {
    const nodes = order.subarray(run.start, run.end);
    const heads = new RawHeads(sources, nodes);
    const dictionary = packer.pack({ type: run.type, nodes, heads }, references.subarray(run.start, run.end));
    const columns = buildColumns({ sources, bag, heads, nodes });
    if (!run.isDeleted)
      for (let row = 0; row < heads.length; row++) grams.add(heads.bytes(row), heads.start(row));
    return { ...run, dictionary, columns, kinded: heads.kinded() };
  });
  const stamps = nodeStamps(work, order);
  const stampsPart = bag.refOf(stamps);
  const owners = nodeOwners(work, order);
  const node = {
    ids: idsPart,
    references: referencesPart,
    index,
    stamps: stampsPart,
    owners: bag.refOf(owners),
  };
  return { node, segments, nodeArena: packer.finish(), grams: grams.finish() };
}

function nodeStamps({ sources, bag, stamps }: Work, order: Uint32Array): UnsignedArray {
  const { base, lastOfNode, input } = sources;
  return narrowed(bag, order, (old) => {
    const version = lastOfNode[old]!;
    return version === 0 ? stamps.ofBase(base.nodeStamps[old]!) : stamps.ofDelta(input.nodes.stamp[version]!);
  });
}

function nodeOwners({ sources, bag }: Work, order: Uint32Array): UnsignedArray {
  const { base, lastOfNode, input } = sources;
  return narrowed(bag, order, (old) => {
    const version = lastOfNode[old]!;
    return version === 0 ? base.nodeOwners[old]! : input.nodes.owners[version]!;
  });
}

function buildLinks(
  work: Work,
  links: LinkOrder,
  nodes: NodeOrder,
): Pick<BaseMeta, 'link' | 'linkArena' | 'blocks'> {
  const { sources, bag } = work;
  const { order } = links;
  const { base, lastOfLink, input } = sources;
  const from = bag.put(asBytes(links.from));
  const to = bag.put(asBytes(links.to));
  const verbs = bag.refOf(narrowed(bag, order, (old) => sources.linkVerb(old)));
  const stamps = narrowed(bag, order, (old) => {
    const version = lastOfLink[old]!;
    return version === 0
      ? work.stamps.ofBase(base.linkStamps[old]!)
      : work.stamps.ofDelta(input.links.stamp[version]!);
  });
  const stampsPart = bag.refOf(stamps);
  const owners = narrowed(bag, order, (old) => {
    const version = lastOfLink[old]!;
    return version === 0 ? base.linkOwners[old]! : input.links.owners[version]!;
  });
  const ownersPart = bag.refOf(owners);
  const incoming = orderInLinks(links, nodes.order.length);
  const inLinks = bag.put(asBytes(incoming.links));
  const inNodes = bag.put(asBytes(incoming.from));
  const blocks = [
    ...buildBlocks(bag, { keys: links.from, ranges: links.ranges, runs: nodes.runs, isOut: true }),
    ...buildBlocks(bag, { keys: incoming.to, ranges: links.ranges, runs: nodes.runs, isOut: false }),
  ];
  const link = {
    from,
    to,
    verbs,
    stamps: stampsPart,
    owners: ownersPart,
    inLinks,
    inNodes,
    index: buildLinkIndex(work, order),
  };
  const { references, linkArena } = copyLinkTexts(work, order);
  return { link: { ...link, references }, linkArena, blocks };
}

function buildLinkIndex({ sources, bag }: Work, order: Uint32Array): HashIndexMeta {
  const hashes = order.map((old) => sources.linkBits(old));
  return buildHashIndex(bag, { hashes, bound: order.length });
}

function copyLinkTexts(
  { sources, bag }: Work,
  order: Uint32Array,
): { references: number; linkArena: number[] } {
  const arena = new Arena();
  const references = new Uint32Array(order.length);
  const { base, input } = sources;
  for (let link = 0; link < order.length; link++) {
    const old = order[link]!;
    const content = sources.linkContent(old);
    const reference = content === 0 ? (base.linkReferences[old] ?? 0) : input.linkTexts[content]!;
    if (reference !== 0)
      references[link] = arena.addFrom(content === 0 ? base.linkArena : sources.arena, reference);
  }
  const referred = arena.byteLength === 0 ? 0 : order.length;
  bag.uint32(referred).set(references.subarray(0, referred));
  return { references: bag.last, linkArena: arena.trimmed().map((chunk) => bag.put(chunk)) };
}

function putStamps({ bag, stamps }: Work): Pick<BaseMeta, 'stampNumbers' | 'stampSources' | 'sourcePairs'> {
  const { numbers, sources, pairs } = stamps.table.parts();
  bag.float64(numbers.length).set(numbers);
  const stampNumbers = bag.last;
  bag.uint32(sources.length).set(sources);
  return { stampNumbers, stampSources: bag.last, sourcePairs: pairs };
}

/** One value for each old number, in the narrowest suitable array. */
function narrowed(bag: BufferBag, order: Uint32Array, valueOf: (old: number) => number): UnsignedArray {
  const values = new Uint32Array(order.length);
  let max = 0;
  for (let at = 0; at < order.length; at++) {
    values[at] = valueOf(order[at]!);
    if (values[at]! > max) max = values[at]!;
  }
  const array = bag.unsigned(order.length, max);
  array.set(values);
  return array;
}

function asBytes(array: Uint32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** Collects the used stamps of base and delta in a new table. *Hot path* of sealing. */
class StampMerger {
  readonly table = new StampTable();
  readonly #base: StampTable;
  readonly #delta: StampTable;
  /** For each old number the new one plus 1; 0 if it has none yet. */
  readonly #ofBase: Uint32Array;
  readonly #ofDelta: Uint32Array;

  constructor(base: StampTable, delta: StampTable) {
    this.#base = base;
    this.#delta = delta;
    this.#ofBase = new Uint32Array(base.length);
    this.#ofDelta = new Uint32Array(delta.length);
  }

  ofBase(number: number): number {
    if (this.#ofBase[number] === 0) this.#ofBase[number] = this.table.intern(this.#base.get(number)) + 1;
    return this.#ofBase[number]! - 1;
  }

  ofDelta(number: number): number {
    if (this.#ofDelta[number] === 0) this.#ofDelta[number] = this.table.intern(this.#delta.get(number)) + 1;
    return this.#ofDelta[number]! - 1;
  }
}
