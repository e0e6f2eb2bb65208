/**
 * Copies versions of one delta into a new one: after a seal, the versions written since its point, in slices
 * during further writes; or, on the same base, the rest of a delta whose end is dropped. *Hot path*: it runs
 * on the main thread.
 *
 * 1. Versions after the given point are appended again, with the new numbers of their nodes and links.
 * 2. Content in the new base is referred to; later content is copied.
 * 3. Nodes precede links, since links need the numbers of their ends.
 */
import type { Steps } from '#platform/foundation';
import { Uint32List } from '../array/number-list.ts';
import type { Base } from '../base/base.ts';
import { Delta } from '../delta/delta.ts';
import type { VersionLog } from '../delta/version-log.ts';
import type { View } from '../delta/view.ts';
import { readId } from '../name/id-index.ts';
import { GONE, type SealOutput } from './seal-input.ts';

const CHECK_EVERY = 256;

/** Numbers of versions of nodes and of links. */
export interface VersionLimits {
  readonly nodeLimit: number;
  readonly linkLimit: number;
}

/**
 * New numbers by old ones. Most items are newer than the seal's point; their old numbers are consecutive from
 * `first`, so they use an array.
 */
class NumberMap {
  readonly #first: number;
  /** New number + 1; 0: none. */
  readonly #later = new Uint32List();
  readonly #earlier = new Map<number, number>();

  constructor(first: number) {
    this.#first = first;
  }

  get(old: number): number | undefined {
    if (old < this.#first) return this.#earlier.get(old);
    const at = old - this.#first;
    const entry = at < this.#later.length ? this.#later.data[at]! : 0;
    return entry === 0 ? undefined : entry - 1;
  }

  set(old: number, number: number): void {
    if (old < this.#first) {
      this.#earlier.set(old, number);
      return;
    }
    while (this.#later.length <= old - this.#first) this.#later.push(0);
    this.#later.data[old - this.#first] = number + 1;
  }
}

/** The number in the new base by old number, for items of the old base. */
type Renumbering = Pick<SealOutput, 'nodeMap' | 'linkMap'>;

export class Replay {
  readonly delta: Delta;
  /** The writer's previous view. */
  readonly #old: View;
  readonly #output: Renumbering;
  readonly #newNodes: NumberMap;
  readonly #newLinks: NumberMap;
  readonly #heads: NumberMap;
  readonly #linkTexts: NumberMap;
  readonly #stamps = new Map<number, number>();
  readonly #id = new Uint32Array(4);
  readonly #sealedHeads: number;
  readonly #sealedLinkTexts: number;
  #nodeVersion: number;
  #linkVersion: number;

  constructor(old: View, base: Base, output: Renumbering, point: VersionLimits) {
    this.delta = new Delta(base);
    this.#old = old;
    this.#output = output;
    this.#nodeVersion = point.nodeLimit;
    this.#linkVersion = point.linkLimit;
    this.#sealedHeads = lastContent(old.delta.nodes, point.nodeLimit);
    this.#sealedLinkTexts = lastContent(old.delta.links, point.linkLimit);
    this.#newNodes = new NumberMap(output.nodeMap.length);
    this.#newLinks = new NumberMap(output.linkMap.length);
    this.#heads = new NumberMap(this.#sealedHeads);
    this.#linkTexts = new NumberMap(this.#sealedLinkTexts);
  }

  /** A prefix of the delta's versions; all numbers stay. */
  static *prefix(old: View, { nodeLimit, linkLimit }: VersionLimits): Steps<Delta> {
    const { base } = old;
    const same = { nodeMap: numbersTo(base.nodeCount), linkMap: numbersTo(base.linkCount) };
    const replay = new Replay(old, base, same, { nodeLimit: 0, linkLimit: 0 });
    while (replay.#nodeVersion < nodeLimit) {
      replay.#replayNode(++replay.#nodeVersion);
      if (replay.#nodeVersion % CHECK_EVERY === 0) yield;
    }
    while (replay.#linkVersion < linkLimit) {
      replay.#replayLink(++replay.#linkVersion);
      if (replay.#linkVersion % CHECK_EVERY === 0) yield;
    }
    return replay.delta;
  }

  /** Works until `isOver` returns true; returns whether everything is done. */
  run(isOver: () => boolean): boolean {
    const { nodes, links } = this.#old.delta;
    for (let steps = 1; this.#nodeVersion < nodes.count; steps++) {
      this.#replayNode(++this.#nodeVersion);
      if (steps % CHECK_EVERY === 0 && isOver()) return false;
    }
    for (let steps = 1; this.#linkVersion < links.count; steps++) {
      this.#replayLink(++this.#linkVersion);
      if (steps % CHECK_EVERY === 0 && isOver()) return false;
    }
    return true;
  }

  /** Replays about this many versions. */
  advance(versions: number): void {
    let left = Math.ceil(versions / CHECK_EVERY);
    this.run(() => --left <= 0);
  }

  #replayNode(version: number): void {
    const { nodes } = this.#old.delta;
    const old = nodes.item.data[version]!;
    const content = nodes.content.data[version]!;
    const isKnown = this.#output.nodeMap[old] !== undefined && this.#output.nodeMap[old] !== GONE;
    const item = this.#node(old);
    const keeps = isKnown && content <= this.#sealedHeads;
    this.#append(nodes, this.delta.nodes, { version, item, content: keeps ? 0 : this.#head(old, content) });
  }

  #replayLink(version: number): void {
    const { links } = this.#old.delta;
    const old = links.item.data[version]!;
    const content = links.content.data[version]!;
    const isKnown = this.#output.linkMap[old] !== undefined && this.#output.linkMap[old] !== GONE;
    const item = this.#link(old);
    const keeps = isKnown && content <= this.#sealedLinkTexts;
    this.#append(links, this.delta.links, {
      version,
      item,
      content: keeps ? 0 : this.#linkText(old, content),
    });
    if (links.isDeleted.data[version] === 0) this.delta.reviveLink(item);
    else if (item < this.delta.base.liveLinks) this.delta.hasChangedLinks = true;
  }

  #append(
    from: VersionLog,
    to: VersionLog,
    { version, item, content }: { version: number; item: number; content: number },
  ): void {
    to.append({
      item,
      content,
      seq: from.born(version),
      stamp: this.#stamp(from.stamp.data[version]!),
      owners: from.owners.data[version]!,
      isDeleted: from.isDeleted.data[version] === 1,
    });
  }

  #node(old: number): number {
    const mapped = this.#output.nodeMap[old];
    if (mapped !== undefined && mapped !== GONE) return mapped;
    const known = this.#newNodes.get(old);
    if (known !== undefined) return known;
    const { base, delta } = this.#old;
    if (old >= base.nodeCount) delta.nodeIds.read(old - base.nodeCount, this.#id);
    else readId(this.#old.nodeId(old), this.#id);
    const node = this.delta.addNode(this.#id);
    this.#newNodes.set(old, node);
    return node;
  }

  #link(old: number): number {
    const mapped = this.#output.linkMap[old];
    if (mapped !== undefined && mapped !== GONE) return mapped;
    const known = this.#newLinks.get(old);
    if (known !== undefined) return known;
    const ends = { from: this.#node(this.#old.delta.from(old)), to: this.#node(this.#old.delta.to(old)) };
    const { base, delta } = this.#old;
    if (old >= base.linkCount) delta.linkIds.read(old - base.linkCount, this.#id);
    else readId(this.#old.linkId(old), this.#id);
    const link = this.delta.addLink(this.#id, ends);
    this.#newLinks.set(old, link);
    return link;
  }

  #head(node: number, content: number): number {
    const { delta, base } = this.#old;
    if (content === 0) return this.delta.addHead(base.head(node).copy(), null);
    const known = this.#heads.get(content);
    if (known !== undefined) return known;
    const copy = this.delta.addHead(delta.arena.bytes(delta.heads.data[content]!), delta.keptInput(content));
    this.#heads.set(content, copy);
    return copy;
  }

  #linkText(link: number, content: number): number {
    const { delta } = this.#old;
    const known = this.#linkTexts.get(content);
    if (known !== undefined && content !== 0) return known;
    const text = content === 0 ? this.#old.linkText(link) : this.#old.linkContentText(content);
    const verb = content === 0 ? this.#old.linkVerbNumber(link) : delta.linkVerbs.data[content]!;
    const copy = this.delta.addLinkContent(text.bytes.subarray(text.start, text.end), verb);
    this.#linkTexts.set(content, copy);
    return copy;
  }

  #stamp(old: number): number {
    let stamp = this.#stamps.get(old);
    if (stamp === undefined)
      this.#stamps.set(old, (stamp = this.delta.stamps.intern(this.#old.delta.stamps.get(old))));
    return stamp;
  }
}

function numbersTo(count: number): Uint32Array {
  const numbers = new Uint32Array(count);
  for (let number = 0; number < count; number++) numbers[number] = number;
  return numbers;
}

/** Contents are numbered in the order of versions: those up to this one belong to the first `limit`. */
function lastContent(log: VersionLog, limit: number): number {
  let last = 0;
  for (let version = 1; version <= limit; version++) last = Math.max(last, log.content.data[version]!);
  return last;
}
