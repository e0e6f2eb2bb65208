/** The relationships that a transaction has changed, and where the new ones are. */
import { assert, isOneOf } from '#platform/foundation';
import type { LinkDirection } from '../syntax/ast.ts';
import type { LinkChange } from './element-change.ts';

export class LinkChanges {
  readonly #changes = new Map<number, LinkChange>();
  /** New relationships by node, at either end. */
  readonly #newAt = new Map<number, number[]>();
  readonly #newIds = new Set<string>();
  readonly #newFrom: number;
  #next: number;

  constructor(newFrom: number) {
    this.#newFrom = newFrom;
    this.#next = newFrom;
  }

  get size(): number {
    return this.#changes.size;
  }

  get all(): Iterable<readonly [number, LinkChange]> {
    return this.#changes;
  }

  get(link: number): LinkChange | undefined {
    return this.#changes.get(link);
  }

  hasId(elementId: string): boolean {
    return this.#newIds.has(elementId);
  }

  /** Returns the new relationships of a node, deleted ones too. */
  newAt(node: number): readonly number[] {
    return this.#newAt.get(node) ?? [];
  }

  /** The new ones that a node has, with the nodes at their other ends. */
  newLinksAt(
    node: number,
    direction: LinkDirection,
    types: readonly string[] | '*',
  ): { readonly links: number[]; readonly nodes: number[] } {
    const found = { links: [] as number[], nodes: [] as number[] };
    for (const link of this.newAt(node)) {
      const { type, from, to, isDeleted } = this.#require(link);
      const other = otherEnd({ from, to }, node, direction);
      if (isDeleted || other === undefined || (types !== '*' && !isOneOf(types, type))) continue;
      found.links.push(link);
      found.nodes.push(other);
    }
    return found;
  }

  /** A change of one that the snapshot has. */
  set(link: number, change: LinkChange): void {
    this.#changes.set(link, change);
  }

  /** The number of a new one. */
  add(change: LinkChange): number {
    const link = this.#next++;
    this.#changes.set(link, change);
    this.#newIds.add(change.elementId);
    for (const end of new Set([change.from, change.to])) {
      const known = this.#newAt.get(end);
      if (known === undefined) this.#newAt.set(end, [link]);
      else known.push(link);
    }
    return link;
  }

  /** Takes back a new one, the last at its ends. */
  remove(link: number): void {
    const { elementId, from, to } = this.#require(link);
    this.#changes.delete(link);
    this.#newIds.delete(elementId);
    for (const end of new Set([from, to])) this.#newAt.get(end)?.pop();
  }

  #require(link: number): LinkChange {
    const change = this.#changes.get(link);
    assert(change !== undefined, `there is a change of the relationship ${String(link - this.#newFrom)}`);
    return change;
  }
}

function otherEnd(
  { from, to }: { readonly from: number; readonly to: number },
  node: number,
  direction: LinkDirection,
): number | undefined {
  if (direction !== 'in' && from === node) return to;
  return direction !== 'out' && to === node ? from : undefined;
}
