/**
 * The links of some verbs in one direction, as a snapshot sees them: blocks of the base, then the lists of
 * the delta. *Hot path* of hops in queries.
 */
import type { Adjacency, Direction, LinkBuffer, NodeBuffer, NodeRange, VerbSelection } from '#graph/model';
import type { Steps } from '#platform/foundation';
import type { View } from '../delta/view.ts';
import { baseSides, type Side } from './base-sides.ts';
import { type DeltaSide, deltaSides } from './delta-sides.ts';
import { countRowEnds } from './end-counts.ts';
import { Marks } from './marks.ts';
import type { LinkRetention } from './retention.ts';
import {
  addLinkedRows,
  appendSide,
  growNodes,
  hasBit,
  isLinkedRow,
  push,
  pushNode,
  type SegmentRun,
} from './side-rows.ts';

export interface AdjacencyScope {
  readonly view: View;
  /** Tells which deleted links are visible; undefined if none is. */
  readonly retention: LinkRetention | undefined;
  readonly verbs: VerbSelection;
  readonly direction: Direction;
}

const NODES_PER_STEP = 256;
const NO_SIDES: readonly Side[] = [];
/** Reused for hops of large sets; several may be in progress. */
const SPARE_MAX = 4;

/** Scratch set for code that does not yield. */
const marks = new Marks();
const spare: Marks[] = [];

export class GraphAdjacency implements Adjacency {
  readonly linkCount: number;
  readonly #view: View;
  readonly #retention: LinkRetention | undefined;
  /** 1 for each wanted verb group; undefined: every verb. */
  readonly #wanted: Uint8Array | undefined;
  readonly #sides: readonly (readonly Side[])[]; // By segment.
  readonly #deltaSides: readonly DeltaSide[];
  /** Bits of the base's live links, once they are worth finding. */
  #deletedLinks: Uint32Array | undefined;

  constructor({ view, retention, verbs, direction }: AdjacencyScope) {
    this.#view = view;
    this.#retention = retention;
    this.#wanted = verbs === '*' ? undefined : this.#wantedGroups(verbs);
    const includesDeleted = retention !== undefined;
    const inBase = baseSides(view.base, { wanted: this.#wanted, direction, includesDeleted });
    this.#sides = inBase.sides;
    this.#deltaSides = view.linkLimit === 0 ? [] : deltaSides(view, direction);
    this.linkCount = inBase.linkCount + view.linkLimit;
  }

  read(node: number, into: LinkBuffer): void {
    into.count = 0;
    this.#append(node, into);
  }

  readEach(nodes: Uint32Array, into: LinkBuffer, ends: Uint32Array): void {
    into.count = 0;
    this.#expect(nodes.length);
    for (let at = 0; at < nodes.length; at++) {
      this.#append(nodes[at]!, into);
      ends[at] = into.count;
    }
  }

  #append(node: number, into: LinkBuffer): void {
    const { base, delta } = this.#view;
    if (node < base.nodeCount && base.linkCount > 0) this.#appendBase(node, into);
    for (const { lists, isOut, skipsSelf } of this.#deltaSides) {
      for (let entry = lists.head(node); entry !== 0; entry = lists.next.data[entry]!) {
        const link = lists.link.data[entry]!;
        const other = isOut ? delta.to(link) : delta.from(link);
        if ((skipsSelf && other === node) || !this.#isEntryShown(link)) continue;
        push(into, other, link);
      }
    }
  }

  readEnds(nodes: Uint32Array, into: NodeBuffer): void {
    into.count = 0;
    this.#expect(nodes.length);
    const { base } = this.#view;
    if (base.linkCount > 0) {
      for (let at = 0; at < nodes.length; at++) {
        if (nodes[at]! < base.nodeCount) this.#readBaseEnds(nodes[at]!, into);
      }
    }
    this.#eachEntry(nodes, (node) => pushNode(into, node));
  }

  image(nodes: Uint32Array, keep?: (node: number) => boolean): Uint32Array {
    const { delta } = this.#view;
    marks.begin(delta.nodes.bound);
    this.#mark(marks, nodes);
    return marks.drain(keep);
  }

  *imageInSteps(nodes: Uint32Array, keep?: (node: number) => boolean): Steps<Uint32Array> {
    const own = spare.pop() ?? new Marks();
    own.begin(this.#view.delta.nodes.bound);
    for (let start = 0; start < nodes.length; start += NODES_PER_STEP) {
      this.#mark(own, nodes.subarray(start, start + NODES_PER_STEP));
      yield;
    }
    const image = yield* own.drainInSteps(keep);
    if (spare.length < SPARE_MAX) spare.push(own);
    return image;
  }

  *linkedTo(nodes: Uint32Array, far: Uint32Array): Steps<Uint32Array> {
    const linked = { count: 0, nodes: new Uint32Array(nodes.length) };
    for (let start = 0; start < nodes.length; start += NODES_PER_STEP) {
      const portion = nodes.subarray(start, start + NODES_PER_STEP);
      if (this.#isBaseWhole && !this.#hasEntries) this.#addLinked(portion, far, linked);
      else this.#addLinkedChecked(portion, far, linked);
      if (start + NODES_PER_STEP < nodes.length) yield;
    }
    return linked.nodes.subarray(0, linked.count);
  }

  countEnds(nodes: Uint32Array, ends: NodeRange, counts: Uint32Array): void {
    counts.fill(0, 0, nodes.length);
    this.#expect(nodes.length);
    const isHidden = this.#isBaseWhole ? undefined : (link: number): boolean => this.#isHidden(link);
    this.#eachRun(nodes, (run, sides, from) => {
      const counted = { ...run, counts: counts.subarray(from, from + run.nodes.length) };
      for (const side of sides) countRowEnds(side, counted, { ends, isHidden });
    });
    if (this.#hasEntries) this.#countEntries(nodes, ends, counts);
  }

  #countEntries(nodes: Uint32Array, { start, end }: NodeRange, counts: Uint32Array): void {
    const { delta } = this.#view;
    for (const { lists, isOut, skipsSelf } of this.#deltaSides) {
      for (let at = 0; at < nodes.length; at++) {
        for (let entry = lists.head(nodes[at]!); entry !== 0; entry = lists.next.data[entry]!) {
          const link = lists.link.data[entry]!;
          const other = isOut ? delta.to(link) : delta.from(link);
          if (other < start || other >= end || (skipsSelf && other === nodes[at])) continue;
          if (this.#isEntryShown(link)) counts[at]!++;
        }
      }
    }
  }

  estimate(nodes: Uint32Array): number {
    const { base } = this.#view;
    let links = nodes.length;
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at]!;
      for (const { lists } of this.#deltaSides) links += lists.lengthOf(node);
      if (node >= base.nodeCount || base.linkCount === 0) continue;
      const number = base.segmentAt(node);
      const row = node - base.segments[number]!.start;
      const sides = this.#sides[number]!;
      for (let side = 0; side < sides.length; side++) {
        const { offsets } = sides[side]!;
        links += offsets[row + 1]! - offsets[row]!;
      }
    }
    return links;
  }

  /** Whether every link of the base's blocks is visible. Changes while a writer uses this adjacency. */
  get #isBaseWhole(): boolean {
    const { linkLimit, delta } = this.#view;
    return this.#retention === undefined && (linkLimit === 0 || !delta.hasChangedLinks);
  }

  #isHidden(link: number): boolean {
    const deleted = this.#deletedLinks;
    if (deleted !== undefined && link < this.#view.base.liveLinks) return hasBit(deleted, link);
    return this.#retention?.isLinkExpired(link) ?? this.#view.isLinkDeleted(link);
  }

  /** Prepares to look at the links of so many nodes. */
  #expect(nodes: number): void {
    if (this.#retention === undefined && !this.#isBaseWhole)
      this.#deletedLinks ??= this.#view.deletedLinks(nodes);
  }

  /** Whether any link is in the delta's lists. */
  get #hasEntries(): boolean {
    return this.#deltaSides.some(({ lists }) => !lists.isEmpty);
  }

  /** Whether a link in the delta's lists leads to a node of `far`. */
  #isLinkedInDelta(node: number, far: Uint32Array): boolean {
    const { delta } = this.#view;
    const sides = this.#deltaSides;
    for (let side = 0; side < sides.length; side++) {
      const { lists, isOut } = sides[side]!;
      for (let entry = lists.head(node); entry !== 0; entry = lists.next.data[entry]!) {
        const link = lists.link.data[entry]!;
        if (hasBit(far, isOut ? delta.to(link) : delta.from(link)) && this.#isEntryShown(link)) return true;
      }
    }
    return false;
  }

  /** Whether a visible link of a row leads to a node of `far`. */
  #isLinkedShown(sides: readonly Side[], row: number, far: Uint32Array): boolean {
    for (let side = 0; side < sides.length; side++) {
      const { offsets, nodes, links } = sides[side]!;
      const end = offsets[row + 1]!;
      for (let at = offsets[row]!; at < end; at++)
        if (hasBit(far, nodes[at]!) && !this.#isHidden(links === undefined ? at : links[at]!)) return true;
    }
    return false;
  }

  /**
   * Calls `take` with each run of nodes of one segment, with its place among the nodes, and with each run of
   * nodes without links in the base.
   */
  #eachRun(nodes: Uint32Array, take: (run: SegmentRun, sides: readonly Side[], from: number) => void): void {
    const { base } = this.#view;
    const bound = base.linkCount === 0 ? 0 : base.nodeCount;
    for (let from = 0; from < nodes.length;) {
      const first = from;
      if (nodes[from]! >= bound) {
        while (from < nodes.length && nodes[from]! >= bound) from++;
        take({ start: base.nodeCount, nodes: nodes.subarray(first, from) }, NO_SIDES, first);
        continue;
      }
      const number = base.segmentAt(nodes[from]!);
      const { start, end } = base.segments[number]!;
      while (from < nodes.length && nodes[from]! >= start && nodes[from]! < end) from++;
      take({ start, nodes: nodes.subarray(first, from) }, this.#sides[number]!, first);
    }
  }

  /** The nodes with a link to a node of `far`, in a base without changes in the delta. */
  #addLinked(nodes: Uint32Array, far: Uint32Array, into: NodeBuffer): void {
    this.#eachRun(nodes, (run, sides) => {
      if (sides.length === 1) addLinkedRows(sides[0]!, run, far, into);
      else for (const node of run.nodes) if (isLinkedRow(sides, node - run.start, far)) pushNode(into, node);
    });
  }

  #addLinkedChecked(nodes: Uint32Array, far: Uint32Array, into: NodeBuffer): void {
    const hasEntries = this.#hasEntries;
    const isWhole = this.#isBaseWhole;
    this.#expect(nodes.length);
    this.#eachRun(nodes, (run, sides) => {
      for (let at = 0; at < run.nodes.length; at++) {
        const node = run.nodes[at]!;
        const row = node - run.start;
        const isLinked = isWhole ? isLinkedRow(sides, row, far) : this.#isLinkedShown(sides, row, far);
        if (isLinked || (hasEntries && this.#isLinkedInDelta(node, far))) pushNode(into, node);
      }
    });
  }

  #appendBase(node: number, into: LinkBuffer): void {
    const { base } = this.#view;
    const number = base.segmentAt(node);
    const row = node - base.segments[number]!.start;
    const sides = this.#sides[number]!;
    for (let at = 0; at < sides.length; at++) {
      const side = sides[at]!;
      const first = into.count;
      appendSide(side, row, into);
      if (side.skipsSelf || !this.#isBaseWhole) this.#dropHidden(into, first, side.skipsSelf ? node : -1);
    }
  }

  /** Removes invisible links and links to `self`, from index `first` on. */
  #dropHidden(into: LinkBuffer, first: number, self: number): void {
    const { nodes, links, count } = into;
    into.count = first;
    for (let at = first; at < count; at++) {
      if (nodes[at] === self || (!this.#isBaseWhole && this.#isHidden(links[at]!))) continue;
      nodes[into.count] = nodes[at]!;
      links[into.count++] = links[at]!;
    }
  }

  #readBaseEnds(node: number, into: NodeBuffer): void {
    const { base } = this.#view;
    const number = base.segmentAt(node);
    const row = node - base.segments[number]!.start;
    const isWhole = this.#isBaseWhole;
    const sides = this.#sides[number]!;
    for (let side = 0; side < sides.length; side++) {
      const { offsets, nodes, links } = sides[side]!;
      const end = offsets[row + 1]!;
      let at = offsets[row]!;
      if (into.count + end - at > into.nodes.length) growNodes(into, into.count + end - at);
      const ends = into.nodes;
      let { count } = into;
      for (; at < end; at++) {
        if (isWhole || !this.#isHidden(links === undefined ? at : links[at]!)) ends[count++] = nodes[at]!;
      }
      into.count = count;
    }
  }

  /** Calls `take` with the far end of each visible entry of the delta at the nodes. */
  #eachEntry(nodes: Uint32Array, take: (node: number) => void): void {
    const { delta } = this.#view;
    for (const { lists, isOut } of this.#deltaSides) {
      if (lists.isEmpty) continue;
      for (let at = 0; at < nodes.length; at++) {
        for (let entry = lists.head(nodes[at]!); entry !== 0; entry = lists.next.data[entry]!) {
          const link = lists.link.data[entry]!;
          if (this.#isEntryShown(link)) take(isOut ? delta.to(link) : delta.from(link));
        }
      }
    }
  }

  #mark(into: Marks, nodes: Uint32Array): void {
    this.#expect(nodes.length);
    this.#markBase(into, nodes);
    this.#eachEntry(nodes, (node) => into.add(node));
  }

  #markBase(into: Marks, nodes: Uint32Array): void {
    const isWhole = this.#isBaseWhole;
    this.#eachRun(nodes, (run, sides) => {
      for (const side of sides) {
        if (isWhole) into.addLists(side, run.nodes, run.start);
        else this.#markRunChecked(into, side, run);
      }
    });
  }

  #markRunChecked(into: Marks, { offsets, nodes, links }: Side, run: SegmentRun): void {
    for (let index = 0; index < run.nodes.length; index++) {
      const row = run.nodes[index]! - run.start;
      const end = offsets[row + 1]!;
      for (let at = offsets[row]!; at < end; at++) {
        if (!this.#isHidden(links === undefined ? at : links[at]!)) into.add(nodes[at]!);
      }
    }
  }

  #isEntryShown(link: number): boolean {
    const { base, names } = this.#view;
    if (this.#retention !== undefined && link < base.linkCount) return false;
    if (this.#view.linkVersion(link) === 0 || this.#isHidden(link)) return false;
    return (
      this.#wanted === undefined || this.#wanted[names.verbs.groups[this.#view.linkVerbNumber(link)]!] === 1
    );
  }

  #wantedGroups(verbs: readonly string[]): Uint8Array {
    const table = this.#view.names.verbs;
    const wanted = new Uint8Array(table.groupNames.length);
    for (const verb of verbs) if (table.group(verb) >= 0) wanted[table.group(verb)] = 1;
    return wanted;
  }
}
