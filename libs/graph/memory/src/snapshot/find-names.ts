/**
 * Finds the nodes of one view by a text in their names. The gram index gives nodes of the base that may have
 * it; the names themselves decide. Versions since the last seal are few, and read one by one. *Hot path*.
 */
import type { Steps } from '#platform/foundation';
import type { View } from '../delta/view.ts';
import { eachNameAt, foldName, nameBetween, namesOf, scoreOf } from '../search/entity-names.ts';
import { gramsOfText, SECTION_NODES } from '../search/gram-index.ts';

const NODES_PER_STEP = 16;
const NO_MATCH = -1;

export interface NameSearch {
  /** What names are searched for, in any case. */
  readonly text: string;
  /** Nodes to look at. */
  readonly isWanted: (node: number) => boolean;
  /**
   * Called once for each node with the text in a name, roughly the best first; the lower the score, the
   * better. Returns whether to go on.
   */
  readonly visit: (node: number, score: number) => boolean;
}

/** Whether all nodes were looked at. A text of one or two bytes is found at the start of names only. */
export function findNames(view: View, search: NameSearch): Steps<boolean> {
  return new NameFinder(view, search).run();
}

class NameFinder {
  readonly #view: View;
  readonly #search: NameSearch;
  readonly #folded: string;
  readonly #startsOnly: boolean;
  /** A bit for each node of the base that was read. */
  readonly #seen: Uint32Array;
  /** The score of the head that is being read. */
  #best = NO_MATCH;

  constructor(view: View, search: NameSearch) {
    this.#view = view;
    this.#search = search;
    this.#folded = foldName(search.text.toWellFormed());
    this.#startsOnly = gramsOfText(this.#folded).inside.length === 0;
    this.#seen = new Uint32Array(Math.ceil(view.base.liveNodes / 32));
  }

  *run(): Steps<boolean> {
    const { exact, start, inside } = gramsOfText(this.#folded);
    if (!(yield* this.#readNodes(exact))) return false;
    if (!(yield* this.#readVersions())) return false;
    if (!(yield* this.#readNodes(start))) return false;
    return inside.length === 0 || (yield* this.#readNodes(inside));
  }

  *#readNodes(grams: readonly number[]): Steps<boolean> {
    const { grams: index } = this.#view.base;
    for (let section = 0; section < index.sections; section++) {
      let read = 0;
      for (const row of index.rows(section, grams)) {
        const node = section * SECTION_NODES + row;
        if (!this.#isFirstRead(node)) continue;
        if (!this.#readBaseNode(node)) return false;
        if (++read % NODES_PER_STEP === 0) yield;
      }
      yield;
    }
    return true;
  }

  #isFirstRead(node: number): boolean {
    const word = node >>> 5;
    const bit = 1 << (node & 31);
    if ((this.#seen[word]! & bit) !== 0) return false;
    this.#seen[word]! |= bit;
    return true;
  }

  /** Whether to go on. */
  #readBaseNode(node: number): boolean {
    if (!this.#hasBaseContent(node) || !this.#search.isWanted(node)) return true;
    const { heads, start: first } = this.#view.base.segmentOf(node);
    const { bytes, start } = heads.readBody(node - first);
    this.#best = NO_MATCH;
    eachNameAt(bytes, start, this.#rate);
    return this.#best === NO_MATCH || this.#search.visit(node, this.#best);
  }

  #hasBaseContent(node: number): boolean {
    const version = this.#view.nodeVersion(node);
    if (version === 0) return true;
    const { nodes } = this.#view.delta;
    return nodes.content.data[version] === 0 && nodes.isDeleted.data[version] === 0;
  }

  readonly #rate = (bytes: Buffer, start: number, end: number): void => {
    const name = nameBetween(bytes, start, end);
    if (name !== undefined) this.#take(scoreOf(name, this.#folded, this.#startsOnly));
  };

  *#readVersions(): Steps<boolean> {
    const { delta, nodeLimit } = this.#view;
    const { nodes } = delta;
    for (let version = 1; version <= nodeLimit; version++) {
      if (version % NODES_PER_STEP === 0) yield;
      const node = nodes.item.data[version]!;
      const content = this.#ownContent(version);
      if (content === 0 || !this.#search.isWanted(node)) continue;
      this.#best = NO_MATCH;
      for (const name of namesOf(delta.input(content)))
        this.#take(scoreOf(name, this.#folded, this.#startsOnly));
      if (this.#best !== NO_MATCH && !this.#search.visit(node, this.#best)) return false;
    }
    return true;
  }

  /** The content of a node's visible, live version; 0 if it is that of the base, or there is none. */
  #ownContent(version: number): number {
    const { nodes } = this.#view.delta;
    if (!nodes.isVisible(version, this.#view.nodeLimit) || nodes.isDeleted.data[version] === 1) return 0;
    return nodes.content.data[version]!;
  }

  #take(score: number): void {
    if (score !== NO_MATCH && (this.#best === NO_MATCH || score < this.#best)) this.#best = score;
  }
}
