import type { Dataset } from './dataset.ts';
import { OutLinks } from './out-links.ts';
import { mix } from './random.ts';

/** The parameters of the workloads, the same for every target. Lists are used in turn. */
export interface Questions {
  /** Number of entities and relationships once all is loaded. */
  readonly entities: number;
  readonly relationships: number;
  readonly lookups: readonly { readonly id: string; readonly index: number }[];
  /** A state of about a quarter of the hosts. */
  readonly state: string;
  readonly otherState: string;
  readonly region: string;
  /** Racks of exactly ten hosts each. */
  readonly racks: readonly string[];
  readonly serviceNames: readonly string[];
  /** The start of the breadth-first searches. */
  readonly start: { readonly type: string; readonly key: string; readonly index: number };
  readonly pathEnds: readonly PathEnds[];
}

/** Two connected entities. */
export interface PathEnds {
  readonly from: string;
  readonly to: string;
  readonly fromIndex: number;
  readonly toIndex: number;
}

export const DEPTHS = { shallow: 4, deep: 8 } as const;
const ASKED = { lookups: 50_000, racks: 64, services: 32, paths: 16, startCandidates: 100 } as const;
const ROWS_AN_INDEXED_VALUE = 10;
const DEEP_SHARE = 0.19;
const HOSTS_EVERY = 12;
const SERVICE_TYPE = 1;

/** Chooses parameters whose answers have the same shape at every size. */
export function askOf(data: Dataset, seed: number): Questions {
  const out = new OutLinks(data);
  const start = startOfBreadth(data, out);
  const racks = [...hostsByRack(data)].filter(([, hosts]) => hosts === ROWS_AN_INDEXED_VALUE);
  return {
    entities: data.entityCount,
    relationships: data.links.count,
    lookups: range(ASKED.lookups).map((at) => {
      const index = mix(seed, at, 201) % data.entityCount;
      return { id: data.idAt(index), index };
    }),
    state: 'running',
    otherState: 'stopped',
    region: 'eu-west-1',
    racks: racks.slice(0, ASKED.racks).map(([rack]) => rack),
    serviceNames: range(ASKED.services).map((at) => someService(data, seed, at)),
    start: { type: data.typeOf(start), key: data.keyOf(start), index: start },
    pathEnds: pathEnds(data, out, seed),
  };
}

/** The number of hosts on each rack. */
export function hostsByRack(data: Dataset): Map<string, number> {
  const racks = new Map<string, number>();
  for (let host = 0; host < data.entityCount; host += HOSTS_EVERY) {
    const { rack } = data.entity(host).properties;
    racks.set(rack, (racks.get(rack) ?? 0) + 1);
  }
  return racks;
}

function someService(data: Dataset, seed: number, at: number): string {
  const services = Math.floor((data.entityCount - SERVICE_TYPE) / HOSTS_EVERY);
  const index = (mix(seed, at, 202) % services) * HOSTS_EVERY + SERVICE_TYPE;
  return data.entity(index).properties.name;
}

/** The host whose deep search is nearest, as a ratio, to a fifth of the graph. */
function startOfBreadth(data: Dataset, out: OutLinks): number {
  const wanted = data.entityCount * DEEP_SHARE;
  let best = { host: 0, miss: Number.POSITIVE_INFINITY };
  for (const at of range(ASKED.startCandidates)) {
    const host = at * HOSTS_EVERY;
    if (host >= data.entityCount) break;
    const reached = out.reachedWithin(host, DEPTHS.deep).at(-1) ?? 0;
    const miss = Math.abs(Math.log(reached / wanted));
    if (miss < best.miss) best = { host, miss };
  }
  return best.host;
}

function pathEnds(data: Dataset, out: OutLinks, seed: number): PathEnds[] {
  const found: PathEnds[] = [];
  for (let draw = 0; found.length < ASKED.paths; draw++) {
    const fromIndex = mix(seed, draw, 203) % data.entityCount;
    const toIndex = mix(seed, draw, 204) % data.entityCount;
    if (out.hops(fromIndex, toIndex) < 2) continue;
    found.push({ from: data.keyOf(fromIndex), to: data.keyOf(toIndex), fromIndex, toIndex });
  }
  return found;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}
