/**
 * The positions of the base's links of some verbs in one direction. A base is immutable, so they are computed
 * once for all queries over it.
 */
import type { Direction } from '#graph/model';
import type { Base, LinkBlock } from '../base/base.ts';

/** One side of a node's links in the base. */
export interface Side {
  readonly offsets: Uint32Array;
  readonly nodes: Uint32Array;
  /** Undefined: the position is the link number. */
  readonly links: Uint32Array | undefined;
  /**
   * Set for incoming links of a search in both directions: a self-link is already found as an outgoing one.
   */
  readonly skipsSelf: boolean;
}

export interface BaseSides {
  /** The sides of each segment. */
  readonly sides: readonly (readonly Side[])[];
  readonly linkCount: number;
}

export interface SideRequest {
  /** 1 for each wanted verb group; undefined: every verb. */
  readonly wanted: Uint8Array | undefined;
  readonly direction: Direction;
  readonly includesDeleted: boolean;
}

/** Maximum number of cached verb combinations for each base. */
const KEPT_MAX = 256;

const cache = new WeakMap<Base, Map<string, BaseSides>>();

export function baseSides(base: Base, request: SideRequest): BaseSides {
  let known = cache.get(base);
  if (known === undefined) cache.set(base, (known = new Map<string, BaseSides>()));
  const key = keyOf(request);
  let sides = known.get(key);
  if (sides === undefined) {
    if (known.size >= KEPT_MAX) known.clear();
    known.set(key, (sides = findSides(base, request)));
  }
  return sides;
}

function keyOf({ wanted, direction, includesDeleted }: SideRequest): string {
  let key: string = includesDeleted ? `${direction}, deleted` : direction;
  if (wanted === undefined) return `${key} *`;
  // Usually few of many verbs.
  for (let group = 0; group < wanted.length; group++) if (wanted[group] === 1) key += ` ${String(group)}`;
  return key;
}

function findSides(base: Base, { wanted, direction, includesDeleted }: SideRequest): BaseSides {
  const isWanted = ({ group, isDeleted }: LinkBlock): boolean =>
    (includesDeleted || !isDeleted) && (wanted === undefined || wanted[group] === 1);
  const blocks = base.blocks.map((all) => all.filter(isWanted));
  const sides = blocks.map((all) => [
    ...all.filter((block) => block.isOut && direction !== 'in').map((block) => sideOf(base, block, false)),
    ...all
      .filter((block) => !block.isOut && direction !== 'out')
      .map((block) => sideOf(base, block, direction === 'any')),
  ]);
  const counted = blocks.flat().filter((block) => block.isOut === (direction !== 'in'));
  return { sides, linkCount: counted.reduce((sum, block) => sum + linksIn(block), 0) };
}

function sideOf(base: Base, block: LinkBlock, skipsSelf: boolean): Side {
  if (block.isOut) return { offsets: block.at, nodes: base.linkTo, links: undefined, skipsSelf };
  return { offsets: block.at, nodes: base.inNodes, links: base.inLinks, skipsSelf };
}

function linksIn({ at }: LinkBlock): number {
  return (at.at(-1) ?? 0) - (at[0] ?? 0);
}
