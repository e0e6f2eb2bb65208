/**
 * The old base and delta as of the seal: the last version of each node and link, and the positions of its
 * parts. Runs in a worker, on the *hot path* of sealing.
 */
import { Arena } from '../array/arena.ts';
import { BufferBag } from '../array/buffer-bag.ts';
import { Base } from '../base/base.ts';
import type { HeadBytes } from '../head/head-window.ts';
import { keyAt, textBetween, typeAt, valueEnd } from '../head/json-scan.ts';
import { VerbTable } from '../name/verb-table.ts';
import { StampTable } from '../stamp/stamp-table.ts';
import type { SealInput, VersionArrays } from './seal-input.ts';

export class SealSources {
  readonly input: SealInput;
  readonly base: Base;
  readonly arena: Arena;
  readonly stamps: StampTable;
  readonly verbs: VerbTable;
  /** Last version of each node and link, 0 for the base's row. */
  readonly lastOfNode: Uint32Array;
  readonly lastOfLink: Uint32Array;
  #linkHashes: Uint32Array | undefined;

  constructor(input: SealInput) {
    this.input = input;
    this.base = new Base(input.baseMeta, new BufferBag(input.baseBuffers));
    this.arena = Arena.of(input.arena);
    this.stamps = StampTable.of(input.stamps);
    this.verbs = new VerbTable(input.verbs);
    this.lastOfNode = lastVersions(input.nodes);
    this.lastOfLink = lastVersions(input.links);
  }

  nodeExists(node: number): boolean {
    return node < this.base.nodeCount || this.lastOfNode[node] !== 0;
  }

  linkExists(link: number): boolean {
    return link < this.base.linkCount || this.lastOfLink[link] !== 0;
  }

  isNodeDeleted(node: number): boolean {
    const version = this.lastOfNode[node]!;
    return version === 0 ? node >= this.base.liveNodes : this.input.nodes.isDeleted[version] === 1;
  }

  isLinkDeleted(link: number): boolean {
    const version = this.lastOfLink[link]!;
    return version === 0 ? link >= this.base.liveLinks : this.input.links.isDeleted[version] === 1;
  }

  /** Number of the node's content in the delta; 0 for that of the base. */
  nodeContent(node: number): number {
    return this.input.nodes.content[this.lastOfNode[node]!]!;
  }

  linkContent(link: number): number {
    return this.input.links.content[this.lastOfLink[link]!]!;
  }

  nodeDeletedAtMs(node: number): number {
    const version = this.lastOfNode[node]!;
    if (version === 0) return this.base.stamps.deletedAtMs(this.base.nodeStamps[node]!);
    return this.stamps.deletedAtMs(this.input.nodes.stamp[version]!);
  }

  linkDeletedAtMs(link: number): number {
    const version = this.lastOfLink[link]!;
    if (version === 0) return this.base.stamps.deletedAtMs(this.base.linkStamps[link]!);
    return this.stamps.deletedAtMs(this.input.links.stamp[version]!);
  }

  /** The head of a node, valid until another one is read. */
  head(node: number): HeadBytes {
    const content = this.nodeContent(node);
    if (content === 0) return this.base.head(node);
    const { arena } = this;
    const reference = this.input.heads[content]!;
    return { bytes: arena.chunk(reference), start: arena.start(reference), end: arena.end(reference) };
  }

  /** Copies the four words of a node's id to `at`. */
  readNodeId(node: number, into: Uint32Array, at: number): void {
    const { nodeCount, nodeIds } = this.base;
    const words = node < nodeCount ? nodeIds : this.input.nodeIds;
    const from = (node < nodeCount ? node : node - nodeCount) * 4;
    for (let word = 0; word < 4; word++) into[at + word] = words[from + word]!;
  }

  type(node: number): string {
    const { bytes, start } = this.head(node);
    const at = typeAt(start);
    return textBetween(bytes, at + 1, valueEnd(bytes, at) - 1);
  }

  key(node: number): string {
    const { bytes, start } = this.head(node);
    const at = keyAt(bytes, start);
    return textBetween(bytes, at + 1, valueEnd(bytes, at) - 1);
  }

  linkFrom(link: number): number {
    const { linkCount, linkFrom } = this.base;
    return link < linkCount ? linkFrom[link]! : this.input.linkFrom[link - linkCount]!;
  }

  linkTo(link: number): number {
    const { linkCount, linkTo } = this.base;
    return link < linkCount ? linkTo[link]! : this.input.linkTo[link - linkCount]!;
  }

  linkVerb(link: number): number {
    const content = this.linkContent(link);
    return content === 0 ? this.base.linkVerbs[link]! : this.input.linkVerbs[content]!;
  }

  /** The first bits of its id, as stored in an index. */
  linkBits(link: number): number {
    const { linkCount } = this.base;
    this.#linkHashes ??= this.base.linkHashes();
    return link < linkCount ? this.#linkHashes[link]! : this.input.linkIds[(link - linkCount) * 4]!;
  }
}

function lastVersions({ item, bound }: VersionArrays): Uint32Array {
  const last = new Uint32Array(bound);
  for (let version = 1; version < item.length; version++) last[item[version]!] = version;
  return last;
}
