import { fraction } from './random.ts';
import { ENTITY_TYPES, LINK_KINDS } from './vocabulary.ts';

/** Parallel arrays: link `j` goes from entity `from[j]` to entity `to[j]` and is of kind `kind[j]`. */
export interface Links {
  readonly count: number;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly kind: Uint8Array;
}

const LINKS_PER_ENTITY = 3;
const SCATTER = 1_000_003;
/** Exponents of the skew: the larger, the more links a few entities have. */
const FROM_SKEW = 1.6;
const TO_SKEW = 3;

/**
 * Exactly 3N distinct links, spread evenly over the kinds. Ends are drawn by a power law and scattered, so
 * that popular entities are not neighbours in key order; a pair drawn twice is drawn again.
 */
export function buildLinks(entityCount: number, seed: number): Links {
  const count = entityCount * LINKS_PER_ENTITY;
  const links = {
    count,
    from: new Uint32Array(count),
    to: new Uint32Array(count),
    kind: new Uint8Array(count),
  };
  const seen = new PairSet(count);
  for (let link = 0, draw = 0; link < count; draw++) {
    const number = link % LINK_KINDS.length;
    const kind = LINK_KINDS[number];
    if (kind === undefined) break;
    const from = drawEnd(entityCount, kind.from, fraction(seed, draw, 101) ** FROM_SKEW);
    const to = drawEnd(entityCount, kind.to, fraction(seed, draw, 102) ** TO_SKEW);
    if (!seen.add(from * entityCount + to)) continue;
    links.from[link] = from;
    links.to[link] = to;
    links.kind[link] = number;
    link++;
  }
  return links;
}

function drawEnd(entityCount: number, type: number, at: number): number {
  const ofType = Math.ceil((entityCount - type) / ENTITY_TYPES.length);
  const scattered = (Math.floor(at * ofType) * SCATTER) % ofType;
  return scattered * ENTITY_TYPES.length + type;
}

/**
 * A set of non-negative safe integers by open addressing: a `Set` of three million would need ten times the
 * memory.
 */
class PairSet {
  readonly #slots: Float64Array;

  constructor(capacity: number) {
    this.#slots = new Float64Array(2 ** Math.ceil(Math.log2(capacity * 2 + 2))).fill(-1);
  }

  /** False when it exists already. */
  add(pair: number): boolean {
    const mask = this.#slots.length - 1;
    let slot = (Math.imul(pair % 0x7fff_ffff, 0x9e3779b1) >>> 4) & mask;
    for (;;) {
      const held = this.#slots[slot];
      if (held === pair) return false;
      if (held === -1) break;
      slot = (slot + 1) & mask;
    }
    this.#slots[slot] = pair;
    return true;
  }
}
