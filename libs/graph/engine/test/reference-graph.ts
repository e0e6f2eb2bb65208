/**
 * The reference model of the graph, as simple as possible: maps, copied before each request. The property
 * test compares the graph with it.
 */
import {
  completeEntity,
  type EntityKey,
  type EntityStatement,
  type PropertyValue,
  type RelationshipInput,
} from '#graph/model';
import type { DanglingPolicy, SyncRequest, WriteRequest } from '../src/request/requests.ts';

export interface ReferenceEntity {
  readonly type: string;
  readonly key: string;
  class: string;
  displayName: string;
  labels: readonly string[] | undefined;
  properties: Record<string, PropertyValue>;
  stamp: ReferenceStamp;
  owners: Set<string>;
  /** The statement of each connector. */
  statements: Map<string, ReferenceStatement>;
}

export interface ReferenceRelationship {
  readonly from: EntityKey;
  verb: string;
  readonly to: EntityKey;
  readonly key: string | undefined;
  properties: Record<string, PropertyValue>;
  stamp: ReferenceStamp;
  owners: Set<string>;
  statements: Map<string, ReferenceStatement>;
}

/** The statement of a source: each field with the request that first stated its value. */
export interface ReferenceStatement {
  readonly fields: Readonly<Record<string, { readonly value: PropertyValue; readonly request: number }>>;
  /** The last request that changed it. */
  readonly request: number;
  readonly syncId: string;
  readonly sinceMs: number;
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

/** Errors are compared by their code only. */
export class Refused extends Error {}

interface Context {
  readonly connectorId: string;
  readonly syncId: string;
  readonly nowMs: number;
  readonly isPatch: boolean;
}

type ReferenceRecord = ReferenceEntity | ReferenceRelationship;

export class ReferenceGraph {
  entities = new Map<string, ReferenceEntity>();
  relationships = new Map<string, ReferenceRelationship>();
  priorities = new Map<string, number>();
  #request = 0;
  #said = new Map<string, string>();
  #outcome = newOutcome();
  /** The state before the request, on which the request is based. */
  #before = this.#copy();

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
    const { connectorId, syncId, mode, priority } = request;
    return this.#atomic({ connectorId, syncId, nowMs, isPatch: mode === 'patch' }, (context) => {
      if (priority !== undefined) this.priorities.set(connectorId, priority);
      for (const entity of request.entities) this.#upsertEntity(entity, context);
      if (onDangling === 'stub') this.#stub(request.relationships, context, 'counted');
      if (!context.isPatch) this.#dropEntities(request, context);
      for (const relationship of request.relationships) this.#upsertLink(relationship, onDangling, context);
      if (!context.isPatch) this.#dropRelationships(request, context);
      this.#showOthers(context);
    });
  }

  #atomic(context: Context, work: (context: Context) => void): Outcome {
    this.#before = this.#copy();
    this.#request++;
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

  #copy(): Pick<ReferenceGraph, 'entities' | 'relationships' | 'priorities'> {
    const { entities, relationships, priorities } = this;
    return structuredClone({ entities, relationships, priorities });
  }

  /** Records the request's statement of a record; returns false if it repeats an earlier one. */
  #say(name: string, content: unknown): boolean {
    const text = JSON.stringify(content);
    const before = this.#said.get(name);
    if (before !== undefined && before !== text) throw new Refused('DUPLICATE_KEY');
    this.#said.set(name, text);
    return before === undefined;
  }

  #upsertEntity(statement: EntityStatement, context: Context): void {
    const name = nodeName(statement);
    const live = ifLive(this.#before.entities.get(name));
    const { type, key, displayName, labels = null } = statement;
    const isStated = labels !== null && (labels.length > 0 || context.isPatch);
    const stated = {
      ...statement.properties,
      ...(statement.class !== undefined && { class: statement.class }),
      ...(displayName !== undefined && { display_name: displayName }),
      ...(isStated && { _labels: labels.length > 0 ? labels : null }),
    };
    const statements = this.#stated(live, stated, context);
    const mine = this.#union(new Map([...statements].filter(([id]) => id === context.connectorId)));
    if (!this.#say(name, contentOf(shownEntity(statement, mine)))) return;
    const shown = shownEntity(statement, this.#union(statements));
    const record = { type, key, ...shown, statements };
    this.entities.set(name, this.#upsert(this.#outcome.entities, name, { live, record }, context));
  }

  #upsertLink(input: RelationshipInput, onDangling: DanglingPolicy, context: Context): void {
    const name = linkName(input);
    const isWhole = [input.from, input.to].every((end) => {
      const stamp = this.entities.get(nodeName(end))?.stamp;
      return stamp !== undefined && stamp.deletedAtMs === null;
    });
    if (!isWhole && onDangling === 'skip') return;
    if (!isWhole) throw new Refused('DANGLING_RELATIONSHIP');
    const live = ifLive(this.#before.relationships.get(name));
    const { from, verb, to, key, properties } = input;
    const statements = this.#stated(live, { ...properties, _verb: verb }, context);
    const mine = this.#union(new Map([...statements].filter(([id]) => id === context.connectorId)));
    if (!this.#say(name, contentOf(shownLink(mine)))) return;
    const record = { from, to, key, ...shownLink(this.#union(statements)), statements };
    this.relationships.set(name, this.#upsert(this.#outcome.relationships, name, { live, record }, context));
  }

  /** The statements on a record after a connector has stated fields of it. */
  #stated(
    live: ReferenceRecord | undefined,
    fields: Readonly<Record<string, PropertyValue>>,
    context: Context,
  ): Map<string, ReferenceStatement> {
    const { connectorId, syncId, nowMs: sinceMs } = context;
    const statements = new Map(live?.statements);
    const old = statements.get(connectorId);
    const before = Object.fromEntries(
      Object.entries(old?.fields ?? {}).map(([name, { value }]) => [name, value]),
    );
    const after = context.isPatch ? patched(before, fields) : fields;
    if (old !== undefined && isEqual(sorted(before), sorted(after))) return statements;
    const request = this.#request;
    const stated = Object.entries(after).map(([name, value]) => {
      const known = old?.fields[name];
      return [name, known !== undefined && isEqual(known.value, value) ? known : { value, request }] as const;
    });
    return statements.set(connectorId, { fields: Object.fromEntries(stated), request, syncId, sinceMs });
  }

  #union(statements: ReadonlyMap<string, ReferenceStatement>): Record<string, PropertyValue> {
    const names = new Set([...statements.values()].flatMap(({ fields }) => Object.keys(fields)));
    const shown = Array.from(names, (name) => {
      const said = [...statements].flatMap(([connectorId, { fields }]) => {
        const field = fields[name];
        return field === undefined ? [] : [{ ...field, priority: this.priorities.get(connectorId) ?? 0 }];
      });
      said.sort((a, b) => b.priority - a.priority || b.request - a.request);
      return [name, (said.find(({ value }) => value !== null) ?? said[0])?.value ?? null] as const;
    });
    return Object.fromEntries(shown);
  }

  #upsert<T extends Content | LinkContent>(
    counts: Counts,
    name: string,
    record: {
      readonly live: ReferenceRecord | undefined;
      readonly record: T & { readonly statements: Map<string, ReferenceStatement> };
    },
    context: Context,
  ): T & Pick<ReferenceRecord, 'statements' | 'stamp' | 'owners'> {
    const { connectorId, syncId, nowMs } = context;
    const { live } = record;
    const old = this.#before.entities.get(name) ?? this.#before.relationships.get(name);
    const owners = new Set([...(live?.owners ?? []), connectorId]);
    if (live !== undefined && isEqual(contentOf(record.record), contentOf(live))) {
      counts.unchanged++;
      return { ...record.record, stamp: { ...live.stamp, lastSeenAtMs: nowMs }, owners };
    }
    counts[live === undefined ? 'created' : 'updated']++;
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
    return { ...record.record, stamp, owners };
  }

  #stub(relationships: readonly RelationshipInput[], context: Context, seen?: 'counted'): void {
    for (const end of relationships.flatMap(({ from, to }) => [from, to])) {
      const name = nodeName(end);
      if (this.#said.has(name)) continue;
      const old = this.entities.get(name);
      if (old === undefined || old.stamp.deletedAtMs !== null) {
        this.#upsertEntity({ ...end, properties: {} }, { ...context, isPatch: false });
      } else if (old.owners.has(context.connectorId)) {
        this.#said.set(name, 'seen');
        this.#see(name, old, context, seen);
      }
    }
  }

  /** An end that a sync did not report counts as seen. */
  #see(name: string, old: ReferenceEntity, context: Context, seen: 'counted' | undefined): void {
    const shown = shownEntity(old, this.#union(old.statements));
    if (isEqual(contentOf(shown), contentOf(old))) {
      if (seen === 'counted') this.#outcome.entities.unchanged++;
      old.stamp = { ...old.stamp, lastSeenAtMs: context.nowMs };
      return;
    }
    const counts = this.#outcome.entities;
    const record = { ...old, ...shown };
    this.entities.set(name, this.#upsert(counts, name, { live: old, record }, context));
  }

  #dropEntities(request: SyncRequest, context: Context): void {
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
      if (entity.owners.size === 0) this.#deleteEntity(name, context.nowMs);
      else this.#leave(entity, context);
    }
  }

  #dropRelationships(request: SyncRequest, context: Context): void {
    const partial = new Set((request.partialTypes ?? []).map((name) => name.toUpperCase()));
    const owned = [...this.#before.relationships].filter(([, { stamp, owners }]) => {
      return stamp.deletedAtMs === null && owners.has(request.connectorId);
    });
    const absent = owned.filter(([name, { from, verb, to }]) => {
      const isKept = [from.type, verb, to.type].some((word) => partial.has(word.toUpperCase()));
      const isOfPartialEnd = request.partialRelationships?.some(
        (partial) =>
          partial.verb.toUpperCase() === verb.toUpperCase() &&
          nodeName(partial) === nodeName(partial.end === 'from' ? from : to),
      );
      if (isOfPartialEnd === true) return false;
      return !isKept && !this.#said.has(name) && this.relationships.get(name)?.stamp.deletedAtMs === null;
    });
    for (const verb of new Set(owned.map(([, link]) => link.verb.toUpperCase()))) {
      const ofVerb = (links: typeof owned): number =>
        links.filter(([, link]) => link.verb.toUpperCase() === verb).length;
      const isTooMuch = ofVerb(absent) / ofVerb(owned) > (request.maxDeleteRatio ?? 0.5);
      if (request.force !== true && ofVerb(owned) >= 20 && isTooMuch) {
        throw new Refused('SYNC_WOULD_DELETE_TOO_MUCH');
      }
    }
    for (const [name] of absent) {
      const link = this.relationships.get(name);
      link?.owners.delete(request.connectorId);
      if (link?.owners.size === 0) this.#deleteRelationship(name, context.nowMs);
      else if (link !== undefined) this.#leave(link, context);
    }
  }

  /** The statements of others become visible; a record's source is one that states it. */
  #leave(record: ReferenceRecord, context: Context): void {
    record.statements.delete(context.connectorId);
    const [heirId, heir] = [...record.statements].sort(([, a], [, b]) => b.request - a.request)[0] ?? [];
    if (heirId === undefined || heir === undefined) throw new Error('an owner states something');
    const source = { connectorId: heirId, syncId: heir.syncId, syncedAtMs: heir.sinceMs };
    if (this.#reshow(record, source, context)) return;
    if (!record.owners.has(record.stamp.connectorId)) record.stamp = { ...record.stamp, ...source };
  }

  /** A changed priority may change the content of records with several sources. */
  #showOthers(context: Context): void {
    const { connectorId, syncId, nowMs: syncedAtMs } = context;
    for (const [name, record] of [...this.entities, ...this.relationships]) {
      if (this.#said.has(name) || record.stamp.deletedAtMs !== null) continue;
      if (record.owners.has(connectorId)) this.#reshow(record, { connectorId, syncId, syncedAtMs }, context);
    }
  }

  #reshow(
    record: ReferenceRecord,
    source: Pick<ReferenceStamp, 'connectorId' | 'syncId' | 'syncedAtMs'>,
    { nowMs: updatedAtMs }: Context,
  ): boolean {
    const union = this.#union(record.statements);
    const shown = 'type' in record ? shownEntity(record, union) : shownLink(union);
    if (isEqual(contentOf(shown), contentOf(record))) return false;
    this.#outcome['type' in record ? 'entities' : 'relationships'].updated++;
    const version = record.stamp.version + 1;
    Object.assign(record, shown, { stamp: { ...record.stamp, ...source, updatedAtMs, version } });
    return true;
  }

  #deleteEntity(name: string, nowMs: number): void {
    const entity = this.entities.get(name);
    if (entity === undefined || entity.stamp.deletedAtMs !== null) return;
    this.#said.set(name, 'deleted');
    entity.stamp = { ...entity.stamp, deletedAtMs: nowMs };
    entity.statements = new Map();
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
    relationship.statements = new Map();
    this.#outcome.relationshipsDeleted++;
  }
}

/** Deleted records keep their last content. */
function ifLive<T extends { readonly stamp: ReferenceStamp }>(record: T | undefined): T | undefined {
  return record?.stamp.deletedAtMs === null ? record : undefined;
}

type Content = Pick<ReferenceEntity, 'class' | 'displayName' | 'labels' | 'properties'>;

type LinkContent = Pick<ReferenceRelationship, 'verb' | 'properties'>;

/** The entity with these fields. */
function shownEntity({ type, key }: EntityKey, fields: Readonly<Record<string, PropertyValue>>): Content {
  const { class: name, display_name: displayName, _labels, ...properties } = fields;
  const labels = Array.isArray(_labels) ? (_labels as readonly string[]) : undefined;
  const entity = completeEntity({
    type,
    key,
    class: name as string | undefined,
    displayName: displayName as string | undefined,
    properties,
  });
  return { class: entity.class, displayName: entity.displayName, labels, properties };
}

function shownLink({ _verb: verb, ...properties }: Readonly<Record<string, PropertyValue>>): LinkContent {
  return { verb: verb as string, properties };
}

function contentOf(record: Content | LinkContent): unknown {
  const { properties } = record;
  return 'verb' in record
    ? [record.verb, sorted(properties)]
    : [record.class, record.displayName, record.labels ?? [], sorted(properties)];
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
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

/** Null removes a property, only in a patch. */
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
