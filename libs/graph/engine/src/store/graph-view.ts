import { type GraphSnapshot, ScopedSnapshot } from '#graph/memory';
import { type Direction, type Entity, hasSource, type Relationship, type Scope } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { isId } from '../request/parse-requests.ts';
import type { PlanGround } from '../plan/request-planner.ts';
import { noteSeen } from '../seq/seen-seq.ts';
import {
  entitySources,
  relationshipSources,
  type SourceStatement,
  type WithSources,
} from './record-sources.ts';

const NEIGHBORS_DEFAULT = 1_000;
const NEIGHBORS_MAX = 10_000;
const LINKS_AT_FIRST = 64;

export interface NeighborOptions {
  /** Compared case-insensitively; default: every verb. */
  readonly verb?: string | undefined;
  /** Default `any`. */
  readonly direction?: Direction | undefined;
  /** Default 1,000, maximum 10,000. */
  readonly limit?: number | undefined;
  /** Default: everything exists. */
  readonly scope?: Scope | undefined;
}

/** A relationship of an entity, with the entity at its other end. */
export interface Neighbor {
  readonly relationship: Relationship;
  readonly entity: Entity;
}

export interface Neighbors {
  /** Number of all, not bounded by the limit. */
  readonly count: number;
  /** Neighbours in the order of the entities: by type, then key. */
  readonly neighbors: readonly Neighbor[];
}

/** The memory under a view, with the epoch of its sequence numbers. */
interface ViewGround extends PlanGround {
  readonly epoch: string;
  /** Throws NOT_CAUGHT_UP. */
  requireLoaded(): void;
}

/** Single records of the latest published state, or of the part of it that exists in a scope. */
export class GraphView {
  readonly #ground: ViewGround;
  #snapshot: GraphSnapshot | undefined;

  constructor(ground: ViewGround) {
    this.#ground = ground;
  }

  entity(id: string, scope?: Scope): Entity {
    const snapshot = this.#latest(scope);
    return snapshot.entity(nodeOf(snapshot, id));
  }

  relationship(id: string, scope?: Scope): Relationship {
    requireId(id);
    const snapshot = this.#latest(scope);
    const link = snapshot.linkById(id);
    if (link < 0) throw new DomainError('NOT_FOUND', 'no such relationship', { details: { id } });
    return snapshot.relationship(link);
  }

  entityWithSources(id: string, scope?: Scope): Entity & WithSources {
    const entity = this.entity(id, scope);
    const snapshot = this.#whole();
    const owners = snapshot.nodeOwners(snapshot.nodeById(id));
    return { ...entity, sources: within(entitySources(this.#ground.sources, entity, owners), scope) };
  }

  relationshipWithSources(id: string, scope?: Scope): Relationship & WithSources {
    const relationship = this.relationship(id, scope);
    const snapshot = this.#whole();
    const owners = snapshot.linkOwners(snapshot.linkById(id));
    const sources = relationshipSources(this.#ground.sources, relationship, owners);
    return { ...relationship, sources: within(sources, scope) };
  }

  neighbors(id: string, options: NeighborOptions = {}): Neighbors {
    const { verb, direction = 'any', limit = NEIGHBORS_DEFAULT, scope } = options;
    requireLimit(limit);
    const snapshot = this.#latest(scope);
    const node = nodeOf(snapshot, id);
    const into = { count: 0, nodes: new Uint32Array(LINKS_AT_FIRST), links: new Uint32Array(LINKS_AT_FIRST) };
    snapshot.adjacency(verb === undefined ? '*' : [verb], direction).read(node, into);
    const order = Array.from({ length: into.count }, (_, at) => ({
      node: into.nodes[at] ?? 0,
      link: into.links[at] ?? 0,
    }));
    order.sort((a, b) => snapshot.compare(a.node, b.node) || a.link - b.link);
    const neighbors = order.slice(0, limit).map((end) => ({
      relationship: snapshot.relationship(end.link),
      entity: snapshot.entity(end.node),
    }));
    return { count: into.count, neighbors };
  }

  release(): void {
    this.#snapshot?.release();
    this.#snapshot = undefined;
  }

  #latest(scope: Scope | undefined): GraphSnapshot | ScopedSnapshot {
    return ScopedSnapshot.within(this.#whole(), scope);
  }

  /** The snapshot is reused until the next publication. */
  #whole(): GraphSnapshot {
    this.#ground.requireLoaded();
    noteSeen(this.#ground.epoch, this.#ground.memory.publishedSeq);
    if (this.#snapshot?.snapshotVersion === this.#ground.memory.publishedSeq) return this.#snapshot;
    this.release();
    this.#snapshot = this.#ground.memory.snapshot();
    return this.#snapshot;
  }
}

function within(sources: readonly SourceStatement[], scope: Scope | undefined): readonly SourceStatement[] {
  return scope === undefined
    ? sources
    : sources.filter(({ connector_id: source }) => hasSource(scope, source));
}

function nodeOf(snapshot: Pick<GraphSnapshot, 'nodeById'>, id: string): number {
  requireId(id);
  const node = snapshot.nodeById(id);
  if (node < 0) throw new DomainError('NOT_FOUND', 'no such entity', { details: { id } });
  return node;
}

/** Throws INVALID_REQUEST for a malformed id. */
export function requireId(id: string): void {
  if (isId(id)) return;
  throw new DomainError('INVALID_REQUEST', 'id: expected 32 lower-case hex digits', {
    details: { field: 'id' },
  });
}

function requireLimit(limit: number): void {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= NEIGHBORS_MAX) return;
  const message = `limit: expected a whole number from 1 to ${String(NEIGHBORS_MAX)}`;
  throw new DomainError('INVALID_REQUEST', message, { details: { field: 'limit' } });
}
