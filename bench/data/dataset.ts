import { hash } from 'node:crypto';
import { buildLinks, type Links } from './links.ts';
import { fraction, mix } from './random.ts';
import { ENTITY_TYPES, ENVIRONMENTS, LINK_KINDS, REGIONS, STATES } from './vocabulary.ts';

/** An entity of an ingest body, about 230 bytes of JSON; its display name is its key. */
export interface EntityBody {
  readonly type: string;
  readonly key: string;
  readonly class: string;
  readonly properties: EntityProperties;
}

/** Eight properties; the owner is missing on one entity in eleven. */
export type EntityProperties = {
  readonly name: string;
  readonly state: string;
  readonly region: string;
  readonly env: string;
  readonly owner?: string;
  readonly rack: string;
  readonly cpu: number;
  readonly serial: string;
};

/** A relationship of an ingest body. */
export interface RelationshipBody {
  readonly from: { readonly type: string; readonly key: string };
  readonly verb: string;
  readonly to: { readonly type: string; readonly key: string };
  readonly properties: Readonly<Record<string, never>>;
}

const ROWS_PER_RACK = 10;
const OWNERS = 200;
const UNOWNED_SHARE = 1 / 11;
const SALT = { state: 1, region: 2, env: 3, owner: 4, rack: 5, cpu: 6, serial: 7 } as const;

/** The id defined by the public interface: 128 bits of SHA-256 over account, type and key. */
export function idOf(type: string, key: string): string {
  return hash('sha256', `default\0${type}\0${key}`, 'hex').slice(0, 32);
}

/**
 * N entities and about 3N relationships, determined by the seed. Entity `i` has type number `i % 12`. Only
 * the links are kept in memory: entities are computed on demand.
 */
export class Dataset {
  readonly entityCount: number;
  readonly links: Links;
  readonly #seed: number;

  constructor(entityCount: number, seed: number) {
    this.entityCount = entityCount;
    this.#seed = seed;
    this.links = buildLinks(entityCount, seed);
  }

  keyOf(index: number): string {
    const ordinal = Math.floor(index / ENTITY_TYPES.length);
    return `${this.typeOf(index)}-${ordinal.toString().padStart(7, '0')}`;
  }

  typeOf(index: number): string {
    return ENTITY_TYPES[index % ENTITY_TYPES.length]?.type ?? '';
  }

  idAt(index: number): string {
    return idOf(this.typeOf(index), this.keyOf(index));
  }

  entity(index: number): EntityBody {
    const key = this.keyOf(index);
    return {
      type: this.typeOf(index),
      key,
      class: ENTITY_TYPES[index % ENTITY_TYPES.length]?.class ?? '',
      properties: this.#properties(index, key),
    };
  }

  relationship(link: number): RelationshipBody {
    const from = this.links.from[link] ?? 0;
    const to = this.links.to[link] ?? 0;
    return {
      from: { type: this.typeOf(from), key: this.keyOf(from) },
      verb: this.verbOf(link),
      to: { type: this.typeOf(to), key: this.keyOf(to) },
      properties: {},
    };
  }

  verbOf(link: number): string {
    return LINK_KINDS[this.links.kind[link] ?? 0]?.verb ?? '';
  }

  #properties(index: number, key: string): EntityProperties {
    const owner = this.#owner(index);
    return {
      name: `${key}.corp.example`,
      state: weighted(STATES, fraction(this.#seed, index, SALT.state)),
      region: this.#pick(REGIONS, index, SALT.region),
      env: this.#pick(ENVIRONMENTS, index, SALT.env),
      ...(owner === undefined ? {} : { owner }),
      rack: `rack-${(mix(this.#seed, index, SALT.rack) % this.#rackCount()).toString().padStart(6, '0')}`,
      cpu: (1 + (mix(this.#seed, index, SALT.cpu) % 128)) / 2,
      serial: mix(this.#seed, index, SALT.serial).toString(16).padStart(8, '0') + index.toString(16),
    };
  }

  #owner(index: number): string | undefined {
    const at = fraction(this.#seed, index, SALT.owner);
    if (at < UNOWNED_SHARE) return undefined;
    return `team-${(mix(this.#seed, index, SALT.owner) % OWNERS).toString().padStart(3, '0')}`;
  }

  #pick(values: readonly string[], index: number, salt: number): string {
    return values[mix(this.#seed, index, salt) % values.length] ?? '';
  }

  #rackCount(): number {
    return Math.max(1, Math.floor(this.entityCount / ENTITY_TYPES.length / ROWS_PER_RACK));
  }
}

function weighted(shares: readonly (readonly [string, number])[], at: number): string {
  let below = 0;
  for (const [value, share] of shares) {
    below += share;
    if (at < below) return value;
  }
  return shares[0]?.[0] ?? '';
}
