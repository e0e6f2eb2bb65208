/**
 * The append-only changes since the last seal: versions of nodes and links, the content of new versions, and
 * the links at each node. *Hot path* of ingest.
 */
import type { EntityInput, PropertyKinds } from '#graph/model';
import { Arena } from '../array/arena.ts';
import { Uint32List } from '../array/number-list.ts';
import type { Base } from '../base/base.ts';
import { inputField } from '../column/content-field.ts';
import { decodeHeadAt } from '../head/item-head.ts';
import { decodeKinds } from '../head/kinds-text.ts';
import { isPlainLinkText } from '../head/link-text.ts';
import { idText } from '../name/id-index.ts';
import { StampTable, type StampTableParts } from '../stamp/stamp-table.ts';
import { DeltaValues } from './delta-values.ts';
import { LinkLists } from './link-lists.ts';
import { VersionLog } from './version-log.ts';

/** Maximum number of cached objects: beyond it, garbage collection costs more than decoding. */
const INPUTS_MAX = 131_072;

/** Content 0 means no content. */
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

/** Existing content for versions to refer to: that of another thread's delta. */
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
  readonly values = new DeltaValues((version, field) => {
    const content = this.nodes.content.data[version]!;
    return content === 0 ? undefined : inputField(this.input(content), field);
  });
  readonly nodeIds = new ItemIds();
  readonly linkIds = new ItemIds();
  readonly stamps: StampTable;
  readonly arena: Arena;
  /** Arena references of heads, by content; 0 means no content. */
  readonly heads: Uint32List;
  /** Arena references of keys and properties, and verbs as written, by content. */
  readonly linkTexts: Uint32List;
  readonly linkVerbs: Uint32List;
  /** Ids of new links. */
  readonly linkFrom = new Uint32List();
  readonly linkTo = new Uint32List();
  readonly out: LinkLists;
  readonly in: LinkLists;
  /** Whether any live link of the base has a version here: if not, the base's lists are unchanged. */
  hasChangedLinks = false;
  /** Names of properties with kinds behind the heads. */
  readonly kinded = new Set<string>();
  readonly #inputs: (EntityInput | null)[];
  readonly #revived = new Set<number>();

  /** If `content` is given, all added versions must refer to it. */
  constructor(base: Base, content: DeltaContent = NO_CONTENT) {
    this.base = base;
    this.arena = Arena.of(content.arena);
    this.stamps = StampTable.of(content.stamps);
    this.heads = Uint32List.of(content.heads.slice());
    this.linkTexts = Uint32List.of(content.linkTexts.slice());
    this.linkVerbs = Uint32List.of(content.linkVerbs.slice());
    this.#inputs = new Array<null>(Math.min(content.heads.length, INPUTS_MAX)).fill(null);
    for (let at = 1; at < content.heads.length; at++) {
      const reference = content.heads[at]!;
      this.#noteKinds(decodeKinds(this.arena.chunk(reference), this.arena.end(reference)));
    }
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

  /** Restores a deleted link of the base, which the base's lists do not contain. */
  reviveLink(link: number): void {
    if (link >= this.base.linkCount || link < this.base.liveLinks || this.#revived.has(link)) return;
    this.#revived.add(link);
    this.out.add(this.base.linkFrom[link]!, link);
    this.in.add(this.base.linkTo[link]!, link);
  }

  addHead(head: Uint8Array, input: EntityInput | null): number {
    if (this.#inputs.length < INPUTS_MAX) this.#inputs.push(input);
    const reference = this.arena.add(head);
    this.#noteKinds(
      input === null ? decodeKinds(this.arena.chunk(reference), this.arena.end(reference)) : input.kinds,
    );
    return this.heads.push(reference);
  }

  #noteKinds(kinds: PropertyKinds | undefined): void {
    if (kinds !== undefined) for (const name of Object.keys(kinds)) this.kinded.add(name);
  }

  addLinkContent(text: Uint8Array, verb: number): number {
    this.linkVerbs.push(verb);
    return this.linkTexts.push(isPlainLinkText(text) ? 0 : this.arena.add(text));
  }

  /** The entity of a content, decoded if the writer's object is not cached. */
  input(content: number): EntityInput {
    const known = this.keptInput(content);
    if (known !== null) return known;
    const reference = this.heads.data[content]!;
    const { arena } = this;
    const input = decodeHeadAt(arena.chunk(reference), arena.start(reference), arena.end(reference));
    if (content < this.#inputs.length) this.#inputs[content] = input;
    return input;
  }

  /** The writer's object, while it is cached. */
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

const ID_WORDS = 4;
const SLOT_WORDS = 2;
const SLOTS_MIN = 64;

/**
 * Ids of the items added since the base, and an index of them: open addressing with linear probing and a load
 * factor of at most 3/4. A slot has the first word of an id and its position + 1 (0: empty), so that neither
 * a miss nor growing reads the ids. *Hot path* of ingest.
 */
class ItemIds {
  readonly words = new Uint32List();
  #slots = new Uint32Array(SLOTS_MIN * SLOT_WORDS);
  #mask = SLOTS_MIN - 1;

  /** Position of the id, −1 if it is missing. */
  find(id: Uint32Array): number {
    const slots = this.#slots;
    const first = id[0]!;
    for (let slot = first & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = slots[slot * SLOT_WORDS + 1]! - 1;
      if (at < 0) return -1;
      if (slots[slot * SLOT_WORDS] === first && this.#isAt(at, id)) return at;
    }
  }

  /** Adds an id, which must be missing. */
  add(id: Uint32Array): void {
    const at = this.words.length / ID_WORDS;
    for (let word = 0; word < ID_WORDS; word++) this.words.push(id[word]!);
    if ((at + 1) * 4 > (this.#mask + 1) * 3) this.#grow();
    this.#insert(id[0]!, at + 1);
  }

  /** Copies the id of an item into `into`, which may be reused. */
  read(at: number, into: Uint32Array): void {
    for (let word = 0; word < ID_WORDS; word++) into[word] = this.words.data[at * ID_WORDS + word]!;
  }

  /** The id of an item, as hex digits. */
  text(at: number): string {
    return idText(this.words.data, at * ID_WORDS);
  }

  #isAt(at: number, id: Uint32Array): boolean {
    const words = this.words.data;
    const start = at * ID_WORDS;
    return words[start + 1] === id[1] && words[start + 2] === id[2] && words[start + 3] === id[3];
  }

  #insert(first: number, entry: number): void {
    const slots = this.#slots;
    let slot = first & this.#mask;
    while (slots[slot * SLOT_WORDS + 1] !== 0) slot = (slot + 1) & this.#mask;
    slots[slot * SLOT_WORDS] = first;
    slots[slot * SLOT_WORDS + 1] = entry;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    this.#mask = this.#slots.length / SLOT_WORDS - 1;
    for (let at = 0; at < old.length; at += SLOT_WORDS)
      if (old[at + 1] !== 0) this.#insert(old[at]!, old[at + 1]!);
  }
}
