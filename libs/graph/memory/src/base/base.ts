/**
 * The sealed part of the graph: immutable, in shared memory. *Hot path*.
 *
 * Nodes: live ones before deleted ones, both ordered by (type, key) in UTF-8 bytes. So the nodes of a type
 * are consecutive, and node order is result order. Links: live ones before deleted ones, both ordered by
 * (verb, from, to). So a link's number is its position among the outgoing links, and only the incoming links
 * need lists.
 */
import { Arena } from '../array/arena.ts';
import { BufferBag, type UnsignedArray } from '../array/buffer-bag.ts';
import { HeadRows } from '../column/head-rows.ts';
import { HeadWindow } from '../head/head-window.ts';
import { buildHashIndex, HashIndex } from '../name/hash-index.ts';
import { idText, readId } from '../name/id-index.ts';
import { OwnerTable } from '../name/owner-table.ts';
import { VerbTable } from '../name/verb-table.ts';
import { GramIndex } from '../search/gram-index.ts';
import { StampTable } from '../stamp/stamp-table.ts';
import { BASE_FORMAT, type BaseMeta, type BlockMeta } from './base-meta.ts';
import { Segment } from './segment.ts';

export interface LinkBlock extends BlockMeta {
  readonly at: Uint32Array;
}

const ID_WORDS = 4;
const idWords = new Uint32Array(ID_WORDS);
/** Nodes in a page. Few pages of this size belong to more than one segment. */
const SEGMENT_PAGE_BITS = 10;
let lastId = 0;

export class Base {
  /** Unique among the bases of this thread. */
  readonly id = ++lastId;
  readonly meta: BaseMeta;
  readonly bag: BufferBag;
  readonly nodeCount: number;
  readonly liveNodes: number;
  readonly linkCount: number;
  readonly liveLinks: number;
  readonly segments: readonly Segment[];
  /** The blocks of each segment. */
  readonly blocks: readonly (readonly LinkBlock[])[];
  /** Four words for each node. */
  readonly nodeIds: Uint32Array;
  readonly headArena: Arena;
  readonly headReferences: Uint32Array;
  /** Finds live nodes by parts of their names. */
  readonly grams: GramIndex;
  readonly linkArena: Arena;
  readonly stamps: StampTable;
  readonly nodeStamps: UnsignedArray;
  readonly nodeOwners: UnsignedArray;
  readonly linkFrom: Uint32Array;
  readonly linkTo: Uint32Array;
  readonly linkVerbs: UnsignedArray;
  /** 0, or beyond the end: neither key nor properties. */
  readonly linkReferences: Uint32Array;
  readonly linkStamps: UnsignedArray;
  readonly linkOwners: UnsignedArray;
  readonly inLinks: Uint32Array;
  readonly inNodes: Uint32Array;
  /** Windows by the part number of their dictionary. */
  readonly #windows = new Map<number, HeadWindow>();
  readonly #nodeIndex: HashIndex;
  readonly #linkIndex: HashIndex;
  readonly #segmentStarts: Uint32Array;
  /** The segment of the first node of each page. */
  readonly #firstSegments: Uint32Array;
  #segmentsByName: ReadonlyMap<string, readonly Segment[]> | undefined;

  constructor(meta: BaseMeta, bag: BufferBag) {
    if (meta.format !== BASE_FORMAT) throw new RangeError(`base format ${String(meta.format)} is not known`);
    this.meta = meta;
    this.bag = bag;
    this.nodeCount = meta.nodeCount;
    this.liveNodes = meta.liveNodes;
    this.linkCount = meta.linkCount;
    this.liveLinks = meta.liveLinks;
    this.nodeIds = bag.asUint32(meta.node.ids);
    this.headArena = Arena.of(meta.nodeArena.map((part) => bag.asUint32Bytes(part)));
    this.headReferences = bag.asUint32(meta.node.references);
    this.grams = new GramIndex(meta.grams, bag, meta.liveNodes);
    this.linkArena = Arena.of(meta.linkArena.map((part) => bag.asUint32Bytes(part)));
    this.stamps = StampTable.of({
      numbers: bag.asFloat64(meta.stampNumbers),
      sources: bag.asUint32(meta.stampSources),
      pairs: meta.sourcePairs,
    });
    this.nodeStamps = bag.asUnsigned(meta.node.stamps);
    this.nodeOwners = bag.asUnsigned(meta.node.owners);
    this.#nodeIndex = new HashIndex(meta.node.index, bag);
    this.linkFrom = bag.asUint32(meta.link.from);
    this.linkTo = bag.asUint32(meta.link.to);
    this.linkVerbs = bag.asUnsigned(meta.link.verbs);
    this.linkReferences = bag.asUint32(meta.link.references);
    this.linkStamps = bag.asUnsigned(meta.link.stamps);
    this.linkOwners = bag.asUnsigned(meta.link.owners);
    this.#linkIndex = new HashIndex(meta.link.index, bag);
    this.inLinks = bag.asUint32(meta.link.inLinks);
    this.inNodes = bag.asUint32(meta.link.inNodes);
    this.segments = meta.segments.map((segment) => this.#segment(segment.start, segment.end, segment));
    this.#segmentStarts = Uint32Array.from(this.segments, ({ start }) => start);
    this.#firstSegments = firstSegments(this.segments, meta.nodeCount);
    this.blocks = this.segments.map((_, number) =>
      meta.blocks
        .filter(({ segment }) => segment === number)
        .map((block) => ({ ...block, at: bag.asUint32(block.offsets) })),
    );
  }

  get seq(): number {
    return this.meta.seq;
  }

  verbTable(): VerbTable {
    return new VerbTable(this.meta.verbs);
  }

  ownerTable(): OwnerTable {
    return new OwnerTable(this.meta.ownerSets);
  }

  /** The number of relationships of a group of verbs. */
  linksOf(group: number, includeDeleted: boolean): number {
    let count = 0;
    for (const blocks of this.blocks)
      for (const block of blocks)
        if (block.group === group && block.isOut && (includeDeleted || !block.isDeleted))
          count += (block.at.at(-1) ?? 0) - (block.at[0] ?? 0);
    return count;
  }

  /** The segments that may have a row with one of the names as its type, as a class or as a label. */
  segmentsNamed(names: readonly string[] | '*'): readonly Segment[] {
    if (names === '*') return this.segments;
    this.#segmentsByName ??= byName(this.segments);
    const index = this.#segmentsByName;
    if (names.length === 1) return index.get(names[0]!) ?? [];
    const named = new Set(names.flatMap((name) => index.get(name) ?? []));
    return this.segments.filter((segment) => named.has(segment));
  }

  /** The number of the node's segment. */
  segmentAt(node: number): number {
    const starts = this.#segmentStarts;
    const page = node >>> SEGMENT_PAGE_BITS;
    let low = this.#firstSegments[page]!;
    let high = this.#firstSegments[page + 1]!;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (starts[middle]! <= node) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  segmentOf(node: number): Segment {
    return this.segments[this.segmentAt(node)]!;
  }

  /** The JSON of a node, valid until another one of the same type is read. */
  head(node: number): HeadWindow {
    const { heads, start } = this.segmentOf(node);
    return heads.read(node - start);
  }

  nodeId(node: number): string {
    return idText(this.nodeIds, node * ID_WORDS);
  }

  /** Returns the number of the node with the id; −1 if there is none. */
  findNode(id: Uint32Array): number {
    const index = this.#nodeIndex;
    const ids = this.nodeIds;
    const bits = id[0]!;
    for (let place = index.first(bits); ; place++) {
      const node = index.at(place, bits);
      if (node < 0) return -1;
      const at = node * ID_WORDS;
      if (ids[at] === bits && ids[at + 1] === id[1] && ids[at + 2] === id[2] && ids[at + 3] === id[3])
        return node;
    }
  }

  /** `isIt` verifies a candidate, of which only the first bits of the id are known. */
  findLink(bits: number, isIt: (link: number) => boolean): number {
    const index = this.#linkIndex;
    for (let place = index.first(bits); ; place++) {
      const link = index.at(place, bits);
      if (link < 0 || isIt(link)) return link;
    }
  }

  /** The first bits of each link's id, as stored in the index: enough to build another index. */
  linkHashes(): Uint32Array {
    return this.#linkIndex.hashes();
  }

  #segment(start: number, end: number, meta: BaseMeta['segments'][number]): Segment {
    return new Segment(meta, {
      bag: this.bag,
      heads: this.#headRows(start, end, meta.dictionary),
      stampNumbers: this.nodeStamps.subarray(start, end),
      stamps: this.stamps,
      nodeById: (id) => (readId(id, idWords) ? this.findNode(idWords) : -1),
    });
  }

  #headRows(start: number, end: number, dictionary: number): HeadRows {
    let window = this.#windows.get(dictionary);
    if (window === undefined)
      this.#windows.set(dictionary, (window = new HeadWindow(this.bag.asUint8(dictionary))));
    const ids = this.nodeIds.subarray(start * ID_WORDS, end * ID_WORDS);
    return new HeadRows(this.headArena, this.headReferences.subarray(start, end), ids, window);
  }
}

/** An empty base. */
export function emptyBase(): Base {
  const bag = new BufferBag();
  const none = bag.put(new Uint8Array(new SharedArrayBuffer(0)));
  const ref = { part: none, itemBytes: 1 } as const;
  const index = buildHashIndex(bag, { hashes: new Uint32Array(0), bound: 0 });
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
    grams: [],
    nodeArena: [],
    linkArena: [],
    stampNumbers: none,
    stampSources: none,
    node: { ids: none, references: none, stamps: ref, owners: ref, index },
    link: {
      from: none,
      to: none,
      verbs: ref,
      references: none,
      stamps: ref,
      owners: ref,
      index,
      inLinks: none,
      inNodes: none,
    },
  };
  return new Base(meta, bag);
}

/**
 * The segment of each page's first node, with one entry past the pages; beyond the nodes, the last segment.
 */
function firstSegments(segments: readonly Segment[], nodeCount: number): Uint32Array {
  const pages = (nodeCount >>> SEGMENT_PAGE_BITS) + 2;
  const first = new Uint32Array(pages);
  let number = 0;
  for (let page = 0; page < pages; page++) {
    const node = page << SEGMENT_PAGE_BITS;
    while (number + 1 < segments.length && segments[number + 1]!.start <= node) number++;
    first[page] = number;
  }
  return first;
}

function byName(segments: readonly Segment[]): ReadonlyMap<string, readonly Segment[]> {
  const index = new Map<string, Segment[]>();
  for (const segment of segments) {
    for (const name of new Set([segment.type, ...segment.classes, ...segment.labels])) {
      const named = index.get(name);
      if (named === undefined) index.set(name, [segment]);
      else named.push(segment);
    }
  }
  return index;
}
