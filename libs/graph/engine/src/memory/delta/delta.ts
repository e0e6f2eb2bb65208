/**
 * What came since the base was sealed, append-only: versions of nodes and links, the content of new versions,
 * and the links at each node. *Hot path* of ingest.
 */
import type { EntityInput } from '#graph/model';
import { Arena } from '../array/arena.ts';
import { Uint32List } from '../array/number-list.ts';
import type { Base } from '../base/base.ts';
import { decodeHead } from '../head/item-head.ts';
import { isPlainLinkText } from '../head/link-text.ts';
import { IdIndex } from '../name/id-index.ts';
import { StampTable, type StampTableParts } from '../stamp/stamp-table.ts';
import { LinkLists } from './link-lists.ts';
import { VersionLog } from './version-log.ts';

/** Beyond so many contents, objects would cost the garbage collector more than reading them back costs. */
const INPUTS_MAX = 131_072;

/** Content 0 is no content. */
const NO_CONTENT: DeltaContent = {
  arena: [],
  stamps: { numbers: new Float64Array(0), sources: new Uint32Array(0), pairs: [] },
  heads: new Uint32Array(1),
  linkTexts: new Uint32Array(1),
  linkVerbs: new Uint32Array(1),
};

export interface LinkEnds {
  readonly from: number;
  readonly to: number;
}

/** What versions refer to, lying ready: that of another thread's delta. */
export interface DeltaContent {
  readonly arena: readonly Uint8Array[];
  readonly stamps: StampTableParts;
  readonly heads: Uint32Array;
  readonly linkTexts: Uint32Array;
  readonly linkVerbs: Uint32Array;
}

export class Delta {
  readonly base: Base;
  readonly nodes: VersionLog;
  readonly links: VersionLog;
  readonly nodeIds = new ItemIds();
  readonly linkIds = new ItemIds();
  readonly stamps: StampTable;
  readonly arena: Arena;
  /** Arena references of heads, by content; 0 is no content. */
  readonly heads: Uint32List;
  /** Arena references of keys and properties, and verbs as written, by content. */
  readonly linkTexts: Uint32List;
  readonly linkVerbs: Uint32List;
  /** Of links that are new. */
  readonly linkFrom = new Uint32List();
  readonly linkTo = new Uint32List();
  readonly out: LinkLists;
  readonly in: LinkLists;
  /** Whether any live link of the base has a version here: else the base's lists stand as they are. */
  hasChangedLinks = false;
  readonly #inputs: (EntityInput | null)[];
  readonly #revived = new Set<number>();

  /** With `content`, only versions that refer to it may be added. */
  constructor(base: Base, content: DeltaContent = NO_CONTENT) {
    this.base = base;
    this.arena = Arena.of(content.arena);
    this.stamps = StampTable.of(content.stamps);
    this.heads = Uint32List.of(content.heads.slice());
    this.linkTexts = Uint32List.of(content.linkTexts.slice());
    this.linkVerbs = Uint32List.of(content.linkVerbs.slice());
    this.#inputs = new Array<null>(Math.min(content.heads.length, INPUTS_MAX)).fill(null);
    this.nodes = new VersionLog(base.nodeCount);
    this.links = new VersionLog(base.linkCount);
    this.out = new LinkLists(base.nodeCount);
    this.in = new LinkLists(base.nodeCount);
  }

  get versionCount(): number {
    return this.nodes.count + this.links.count;
  }

  addNode(id: Uint32Array): number {
    this.nodeIds.add(id);
    return this.nodes.addItem();
  }

  addLink(id: Uint32Array, { from, to }: LinkEnds): number {
    this.linkIds.add(id);
    this.linkFrom.push(from);
    this.linkTo.push(to);
    const link = this.links.addItem();
    this.out.add(from, link);
    this.in.add(to, link);
    return link;
  }

  /** A deleted link of the base comes back: the base's own lists leave it out. */
  reviveLink(link: number): void {
    if (link >= this.base.linkCount || link < this.base.liveLinks || this.#revived.has(link)) return;
    this.#revived.add(link);
    this.out.add(this.base.linkFrom[link]!, link);
    this.in.add(this.base.linkTo[link]!, link);
  }

  addHead(head: Uint8Array, input: EntityInput | null): number {
    if (this.#inputs.length < INPUTS_MAX) this.#inputs.push(input);
    return this.heads.push(this.arena.add(head));
  }

  addLinkContent(text: Uint8Array, verb: number): number {
    this.linkVerbs.push(verb);
    return this.linkTexts.push(isPlainLinkText(text) ? 0 : this.arena.add(text));
  }

  /** The entity of a content, read back where the writer's is not at hand. */
  input(content: number): EntityInput {
    const known = this.keptInput(content);
    if (known !== null) return known;
    const input = decodeHead(this.arena.text(this.heads.data[content]!));
    if (content < this.#inputs.length) this.#inputs[content] = input;
    return input;
  }

  /** The writer's own object, while it is kept. */
  keptInput(content: number): EntityInput | null {
    return this.#inputs[content] ?? null;
  }

  from(link: number): number {
    return link < this.base.linkCount
      ? this.base.linkFrom[link]!
      : this.linkFrom.data[link - this.base.linkCount]!;
  }

  to(link: number): number {
    return link < this.base.linkCount
      ? this.base.linkTo[link]!
      : this.linkTo.data[link - this.base.linkCount]!;
  }
}

/** Ids of the items that came since the base. *Hot path* of ingest. */
const WORDS = 4;

class ItemIds {
  readonly words = new Uint32List();
  readonly #index = new IdIndex();
  readonly #bitsOf = (at: number): number => this.words.data[at * WORDS]!;

  /** Position of the id, −1 when there is none. */
  find(id: Uint32Array): number {
    const words = this.words.data;
    return this.#index.find(id[0]!, (at) => {
      const start = at * WORDS;
      return (
        words[start] === id[0] &&
        words[start + 1] === id[1] &&
        words[start + 2] === id[2] &&
        words[start + 3] === id[3]
      );
    });
  }

  add(id: Uint32Array): void {
    const at = this.words.length / WORDS;
    for (let word = 0; word < WORDS; word++) this.words.push(id[word]!);
    this.#index.add(id[0]!, at, this.#bitsOf);
  }

  /** The id of an item, into words that may be reused. */
  read(at: number, into: Uint32Array): void {
    for (let word = 0; word < WORDS; word++) into[word] = this.words.data[at * WORDS + word]!;
  }

  /** The id of an item, as hex digits. */
  text(at: number): string {
    let text = '';
    for (let word = 0; word < WORDS; word++)
      text += this.words.data[at * WORDS + word]!.toString(16).padStart(8, '0');
    return text;
  }
}
