/**
 * What the graph has to do, written as plainly as can be: maps, copied before each request. The property test
 * holds the real one against it.
 */
import {
  completeEntity,
  type EntityKey,
  type EntityStatement,
  type PropertyValue,
  type RelationshipInput,
} from '#model';
import type { DanglingPolicy, SyncRequest, WriteRequest } from '../src/ingest/requests.ts';

export interface ReferenceEntity {
  readonly type: string;
  readonly key: string;
  class: string;
  displayName: string;
  properties: Record<string, PropertyValue>;
  stamp: ReferenceStamp;
  owners: Set<string>;
}

export interface ReferenceRelationship {
  readonly from: EntityKey;
  verb: string;
  readonly to: EntityKey;
  readonly key: string | undefined;
  properties: Record<string, PropertyValue>;
  stamp: ReferenceStamp;
  owners: Set<string>;
}

export interface ReferenceStamp {
  connectorId: string;
  syncId: string;
  syncedAtMs: number;
  createdAtMs: number;
  updatedAtMs: number;
  lastSeenAtMs: number;
  deletedAtMs: number | null;
  version: number;
}

type Counts = Record<'created' | 'updated' | 'unchanged', number>;

interface Outcome {
  readonly entities: Counts;
  readonly relationships: Counts;
  entitiesDeleted: number;
  relationshipsDeleted: number;
}

/** Refusals are told apart by their code alone. */
export class Refused extends Error {}

interface Context {
  readonly connectorId: string;
  readonly syncId: string;
  readonly nowMs: number;
  readonly isPatch: boolean;
}

export class ReferenceGraph {
  entities = new Map<string, ReferenceEntity>();
  relationships = new Map<string, ReferenceRelationship>();
  #said = new Map<string, string>();
  #outcome = newOutcome();
  /** As it was when the request came: what the request is held against. */
  #before = { entities: this.entities, relationships: this.relationships };

  write(request: WriteRequest, onDangling: DanglingPolicy, nowMs: number): Outcome {
    const { connectorId = 'api', writeId: syncId = '' } = request;
    return this.#atomic({ connectorId, syncId, nowMs, isPatch: false }, (context) => {
      for (const name of request.delete?.relationships ?? []) {
        if (typeof name !== 'string') this.#deleteRelationship(linkName(name), nowMs, 'explicit');
      }
      for (const name of request.delete?.entities ?? []) {
        if (typeof name !== 'string') this.#deleteEntity(nodeName(name), nowMs);
      }
      for (const entity of request.entities) this.#upsertEntity(entity, context);
      if (onDangling === 'stub') this.#stub(request.relationships, context);
      for (const relationship of request.relationships) this.#upsertLink(relationship, onDangling, context);
    });
  }

  sync(request: SyncRequest, onDangling: DanglingPolicy, nowMs: number): Outcome {
    const { connectorId, syncId, mode } = request;
    return this.#atomic({ connectorId, syncId, nowMs, isPatch: mode === 'patch' }, (context) => {
      for (const entity of request.entities) this.#upsertEntity(entity, context);
      if (onDangling === 'stub') this.#stub(request.relationships, context);
      if (!context.isPatch) this.#dropEntities(request, nowMs);
      for (const relationship of request.relationships) this.#upsertLink(relationship, onDangling, context);
      if (!context.isPatch) this.#dropRelationships(request, nowMs);
    });
  }

  #atomic(context: Context, work: (context: Context) => void): Outcome {
    const { entities, relationships } = this;
    this.#before = structuredClone({ entities, relationships });
    this.#said = new Map();
    this.#outcome = newOutcome();
    try {
      work(context);
      return this.#outcome;
    } catch (error) {
      Object.assign(this, this.#before);
      throw error;
    }
  }

  /** Notes what the request says of a record; gives false when it said the same before. */
  #say(name: string, content: unknown): boolean {
    const text = JSON.stringify(content);
    const before = this.#said.get(name);
    if (before !== undefined && before !== text) throw new Refused('DUPLICATE_KEY');
    this.#said.set(name, text);
    return before === undefined;
  }

  #upsertEntity(statement: EntityStatement, context: Context): void {
    const name = nodeName(statement);
    const old = this.#before.entities.get(name);
    const live = ifLive(old);
    const entity = context.isPatch ? patchedEntity(live, statement) : wholeEntity(statement);
    const content = [entity.class, entity.displayName, sorted(entity.properties)];
    if (!this.#say(name, content)) return;
    const oldContent = live && [live.class, live.displayName, sorted(live.properties)];
    const { stamp, owners } = this.#upsert(this.#outcome.entities, { old, content, oldContent }, context);
    this.entities.set(name, { type: statement.type, key: statement.key, ...entity, stamp, owners });
  }

  #upsertLink(input: RelationshipInput, onDangling: DanglingPolicy, context: Context): void {
    const name = linkName(input);
    const isWhole = [input.from, input.to].every((end) => {
      const stamp = this.entities.get(nodeName(end))?.stamp;
      return stamp !== undefined && stamp.deletedAtMs === null;
    });
    if (!isWhole && onDangling === 'skip') return;
    if (!isWhole) throw new Refused('DANGLING_RELATIONSHIP');
    const old = this.#before.relationships.get(name);
    const live = ifLive(old);
    const properties = context.isPatch
      ? patched(live?.properties ?? {}, input.properties)
      : { ...input.properties };
    const content = [input.verb, sorted(properties)];
    if (!this.#say(name, content)) return;
    const oldContent = live && [live.verb, sorted(live.properties)];
    const { stamp, owners } = this.#upsert(
      this.#outcome.relationships,
      { old, content, oldContent },
      context,
    );
    const { from, verb, to, key } = input;
    this.relationships.set(name, { from, verb, to, key, properties, stamp, owners });
  }

  #upsert(
    counts: Counts,
    record: {
      readonly old: { readonly stamp: ReferenceStamp; readonly owners: Set<string> } | undefined;
      readonly content: unknown;
      readonly oldContent: unknown;
    },
    context: Context,
  ): { readonly stamp: ReferenceStamp; readonly owners: Set<string> } {
    const { connectorId, syncId, nowMs } = context;
    const { old } = record;
    if (old !== undefined && JSON.stringify(record.content) === JSON.stringify(record.oldContent)) {
      counts.unchanged++;
      return { stamp: { ...old.stamp, lastSeenAtMs: nowMs }, owners: new Set([...old.owners, connectorId]) };
    }
    const isLive = record.oldContent !== undefined;
    counts[isLive ? 'updated' : 'created']++;
    const stamp = {
      connectorId,
      syncId,
      syncedAtMs: nowMs,
      createdAtMs: old?.stamp.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
      lastSeenAtMs: nowMs,
      deletedAtMs: null,
      version: (old?.stamp.version ?? 0) + 1,
    };
    return { stamp, owners: new Set(isLive ? [...(old?.owners ?? []), connectorId] : [connectorId]) };
  }

  #stub(relationships: readonly RelationshipInput[], context: Context): void {
    for (const end of relationships.flatMap(({ from, to }) => [from, to])) {
      const name = nodeName(end);
      if (this.#said.has(name)) continue;
      const old = this.entities.get(name);
      if (old === undefined || old.stamp.deletedAtMs !== null) {
        this.#upsertEntity({ ...end, properties: {} }, { ...context, isPatch: false });
      } else if (old.owners.has(context.connectorId)) {
        this.#said.set(name, 'seen');
        this.#outcome.entities.unchanged++;
        old.stamp = { ...old.stamp, lastSeenAtMs: context.nowMs };
      }
    }
  }

  #dropEntities(request: SyncRequest, nowMs: number): void {
    const owned = [...this.entities].filter(([, { stamp, owners }]) => {
      return stamp.deletedAtMs === null && owners.has(request.connectorId);
    });
    const absent = owned.filter(([name, { type }]) => {
      return !this.#said.has(name) && request.partialTypes?.includes(type) !== true;
    });
    const ratio = request.maxDeleteRatio ?? 0.5;
    if (request.force !== true && owned.length >= 20 && absent.length / owned.length > ratio) {
      throw new Refused('SYNC_WOULD_DELETE_TOO_MUCH');
    }
    for (const [name, entity] of absent) {
      entity.owners.delete(request.connectorId);
      if (entity.owners.size === 0) this.#deleteEntity(name, nowMs);
    }
  }

  #dropRelationships(request: SyncRequest, nowMs: number): void {
    const partial = new Set((request.partialTypes ?? []).map((name) => name.toUpperCase()));
    for (const [name, { from, verb, to, stamp, owners }] of this.relationships) {
      const isKept = [from.type, verb, to.type].some((word) => partial.has(word.toUpperCase()));
      const isOwned = stamp.deletedAtMs === null && owners.has(request.connectorId);
      if (!isOwned || isKept || this.#said.has(name)) continue;
      owners.delete(request.connectorId);
      if (owners.size === 0) this.#deleteRelationship(name, nowMs);
    }
  }

  #deleteEntity(name: string, nowMs: number): void {
    const entity = this.entities.get(name);
    if (entity === undefined || entity.stamp.deletedAtMs !== null) return;
    this.#said.set(name, 'deleted');
    entity.stamp = { ...entity.stamp, deletedAtMs: nowMs };
    this.#outcome.entitiesDeleted++;
    for (const [link, { from, to }] of this.relationships) {
      if (nodeName(from) === name || nodeName(to) === name) this.#deleteRelationship(link, nowMs);
    }
  }

  #deleteRelationship(name: string, nowMs: number, how?: 'explicit'): void {
    const relationship = this.relationships.get(name);
    if (relationship === undefined || relationship.stamp.deletedAtMs !== null) return;
    if (how === 'explicit') this.#said.set(name, 'deleted');
    relationship.stamp = { ...relationship.stamp, deletedAtMs: nowMs };
    this.#outcome.relationshipsDeleted++;
  }
}

function ifLive<T extends { readonly stamp: ReferenceStamp }>(record: T | undefined): T | undefined {
  return record?.stamp.deletedAtMs === null ? record : undefined;
}

type Content = Pick<ReferenceEntity, 'class' | 'displayName' | 'properties'>;

function wholeEntity(statement: EntityStatement): Content {
  const { class: name, displayName, properties } = completeEntity(statement);
  return { class: name, displayName, properties: { ...properties } };
}

function patchedEntity(live: Content | undefined, statement: EntityStatement): Content {
  const { class: name, displayName } = completeEntity(statement);
  return {
    class: statement.class ?? live?.class ?? name,
    displayName: statement.displayName ?? live?.displayName ?? displayName,
    properties: patched(live?.properties ?? {}, statement.properties),
  };
}

export function nodeName({ type, key }: EntityKey): string {
  return `${type} ${key}`;
}

export function linkName(link: Omit<RelationshipInput, 'properties'>): string {
  return [nodeName(link.from), link.verb.toUpperCase(), nodeName(link.to), link.key ?? ''].join(' | ');
}

function newOutcome(): Outcome {
  return {
    entities: { created: 0, updated: 0, unchanged: 0 },
    relationships: { created: 0, updated: 0, unchanged: 0 },
    entitiesDeleted: 0,
    relationshipsDeleted: 0,
  };
}

/** Null removes a property, in a patch alone. */
function patched(
  old: Readonly<Record<string, PropertyValue>>,
  patch: Readonly<Record<string, PropertyValue>>,
): Record<string, PropertyValue> {
  const merged = new Map(Object.entries(old));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

function sorted(properties: Readonly<Record<string, PropertyValue>>): unknown {
  return Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1));
}
