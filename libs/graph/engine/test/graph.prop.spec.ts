import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Entity, entityId, type Relationship, relationshipId } from '#graph/model';
import { DomainError } from '#platform/foundation';
import type {
  DanglingPolicy,
  PlannedChanges,
  SourceStatement,
  SyncReply,
  SyncRequest,
  WriteRequest,
} from '../src/index.ts';
import { arbitraryPolicy, arbitraryShrinkingSync, arbitrarySync, arbitraryWrite } from '#graph/testing';
import { effort } from '#testing';
import { GraphHarness } from './graph-harness.ts';
import {
  linkName,
  nodeName,
  type ReferenceEntity,
  ReferenceGraph,
  type ReferenceRelationship,
  type ReferenceStamp,
  Refused,
} from './reference-graph.ts';

const RUNS = effort(50, 15);
const STEPS_MAX = 40;

type Step =
  | { readonly kind: 'write'; readonly request: WriteRequest; readonly onDangling: DanglingPolicy }
  | {
      readonly kind: 'sync';
      readonly request: SyncRequest;
      readonly onDangling: DanglingPolicy;
      readonly dryRun: boolean;
    }
  | { readonly kind: 'reopen' }
  | { readonly kind: 'crash' };

const LISTED_MAX = 2;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write'),
      request: arbitraryWrite,
      onDangling: arbitraryPolicy,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('sync'),
      request: fc.oneof(arbitrarySync, arbitraryShrinkingSync),
      onDangling: arbitraryPolicy,
      dryRun: fc.constantFrom(false, false, false, true),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reopen') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash') }) },
);

/** Runs the same steps on the graph and on its reference model. */
class Pair {
  readonly harness: GraphHarness;
  readonly reference = new ReferenceGraph();
  readonly #replies = new Map<string, unknown>();

  constructor(harness: GraphHarness) {
    this.harness = harness;
  }

  async step(next: Step): Promise<void> {
    this.harness.clock.turn(1);
    switch (next.kind) {
      case 'write': {
        const { writeId, connectorId = 'api' } = next.request;
        return this.#once(`write ${connectorId} ${writeId ?? ''}`, writeId !== undefined, next);
      }
      case 'sync':
        if (next.dryRun) return this.#dryRun(next);
        return this.#once(`sync ${next.request.connectorId} ${next.request.syncId}`, true, next);
      case 'reopen':
        await this.harness.reopen();
        return;
      case 'crash':
        this.harness.disk.crash();
        await this.harness.close().catch(() => undefined);
        this.harness.disk = this.harness.disk.restart();
        await this.harness.open();
    }
  }

  async #once(name: string, isStored: boolean, next: Step & { kind: 'write' | 'sync' }): Promise<void> {
    const stored = isStored ? this.#replies.get(name) : undefined;
    const expected = stored ?? this.#expected(next);
    const actual = await this.#actual(next, false);
    expect(actual).toEqual(expected);
    if (isStored && typeof expected !== 'string') this.#replies.set(name, expected);
  }

  /** The deletion limit does not end a dry run: its reply shows what the limit would reject. */
  async #dryRun(next: Step & { kind: 'sync' }): Promise<void> {
    const limited = this.#expectedOfDryRun(next);
    const forced = { ...next, request: { ...next.request, force: true } };
    const isTooMuch = limited === 'SYNC_WOULD_DELETE_TOO_MUCH';
    expect(await this.#actual(next, true)).toEqual(isTooMuch ? this.#expectedOfDryRun(forced) : limited);
  }

  #expectedOfDryRun(next: Step & { kind: 'sync' }): unknown {
    const { entities, relationships, priorities } = structuredClone(this.reference);
    const expected = this.#expected(next);
    Object.assign(this.reference, { entities, relationships, priorities });
    return expected;
  }

  async #actual(next: Step & { kind: 'write' | 'sync' }, dryRun: boolean): Promise<unknown> {
    const { graph } = this.harness;
    const { onDangling } = next;
    try {
      if (next.kind === 'sync') {
        const options = { onDangling, dryRun, ...(dryRun && { listed: LISTED_MAX }) };
        const { changes, ...counts } = await graph.sync(next.request, options);
        if (dryRun) expectListed(changes, counts);
        return countsOf(counts);
      }
      return countsOf(await graph.write(next.request, { onDangling }));
    } catch (error) {
      if (error instanceof DomainError) return error.code;
      throw error;
    }
  }

  #expected(next: Step & { kind: 'write' | 'sync' }): unknown {
    const nowMs = this.harness.clock.nowMs();
    try {
      return next.kind === 'sync'
        ? syncCounts(next.request.syncId, this.reference.sync(next.request, next.onDangling, nowMs))
        : writeCounts(this.reference.write(next.request, next.onDangling, nowMs));
    } catch (error) {
      if (error instanceof Refused) return error.message;
      throw error;
    }
  }

  compare(): void {
    const { entities, relationships } = this.harness.records();
    expect(new Map(entities.map((entity) => [nodeName(entity), entity]))).toEqual(
      expectedEntities(this.reference),
    );
    const links = relationships.map((link) => [linkName({ ...link, key: link.key }), link] as const);
    expect(new Map(links)).toEqual(expectedRelationships(this.reference));
    this.#compareSources(entities, relationships);
  }

  #compareSources(entities: readonly Entity[], relationships: readonly Relationship[]): void {
    const { graph } = this.harness;
    const isLive = (record: Entity | Relationship): boolean => record.deleted_at === null;
    for (const entity of entities.filter(isLive)) {
      const { sources } = graph.entityWithSources(entity.id);
      expect(byConnector(sources)).toEqual(
        expectedSources(this.reference.entities.get(nodeName(entity)), this.reference.priorities),
      );
    }
    for (const link of relationships.filter(isLive)) {
      const { sources } = graph.relationshipWithSources(link.id);
      expect(byConnector(sources)).toEqual(
        expectedSources(
          this.reference.relationships.get(linkName({ ...link, key: link.key })),
          this.reference.priorities,
        ),
      );
    }
  }
}

describe('the graph', () => {
  it('equals its reference model over writes, syncs, replays, restarts and power cuts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: STEPS_MAX }),
        fc.nat(),
        fc.constantFrom(0, 10_000),
        async (steps, seed, imageRecordsMin) => {
          const pair = new Pair(await GraphHarness.opened(seed, { imageRecordsMin }));
          for (const next of steps) {
            await pair.step(next);
            pair.compare();
          }
          await pair.harness.reopen();
          pair.compare();
          await pair.harness.close();
        },
      ),
      { numRuns: RUNS },
    );
  });
});

type Outcome = ReturnType<ReferenceGraph['write']>;

/** The part of a reply that the model predicts. */
/** A dry run lists the records that it counts. */
function expectListed(changes: PlannedChanges | undefined, counts: SyncReply): void {
  for (const what of ['entities', 'relationships'] as const) {
    for (const effect of ['created', 'updated', 'deleted'] as const) {
      const { records = [], more = 0 } = changes?.[what][effect] ?? {};
      const count = counts[`${what}_${effect}`];
      expect([what, effect, records.length, more]).toEqual([
        what,
        effect,
        Math.min(count, LISTED_MAX),
        Math.max(count - LISTED_MAX, 0),
      ]);
      expect(new Set(records.map((record) => JSON.stringify(record))).size).toBe(records.length);
    }
  }
}

function countsOf(reply: object): object {
  const fields = Object.entries(reply).filter(([name]) => name !== 'warnings' && name !== 'write_id');
  return Object.fromEntries(fields);
}

function writeCounts({ entities, relationships, entitiesDeleted, relationshipsDeleted }: Outcome): object {
  return {
    entities_written: entities.created + entities.updated + entities.unchanged,
    relationships_written: relationships.created + relationships.updated + relationships.unchanged,
    entities_deleted: entitiesDeleted,
    relationships_deleted: relationshipsDeleted,
  };
}

function syncCounts(syncId: string, outcome: Outcome): object {
  const { entities, relationships, entitiesDeleted, relationshipsDeleted } = outcome;
  return {
    sync_id: syncId,
    entities_created: entities.created,
    entities_updated: entities.updated,
    entities_unchanged: entities.unchanged,
    entities_deleted: entitiesDeleted,
    relationships_created: relationships.created,
    relationships_updated: relationships.updated,
    relationships_unchanged: relationships.unchanged,
    relationships_deleted: relationshipsDeleted,
  };
}

function stampFields(stamp: ReferenceStamp): object {
  return {
    source: {
      connector_id: stamp.connectorId,
      sync_id: stamp.syncId,
      synced_at: new Date(stamp.syncedAtMs).toISOString(),
    },
    created_at: new Date(stamp.createdAtMs).toISOString(),
    updated_at: new Date(stamp.updatedAtMs).toISOString(),
    last_seen_at: new Date(stamp.lastSeenAtMs).toISOString(),
    deleted_at: stamp.deletedAtMs === null ? null : new Date(stamp.deletedAtMs).toISOString(),
    version: stamp.version,
  };
}

function byConnector(sources: readonly SourceStatement[]): ReadonlyMap<string, object> {
  return new Map(sources.map((source) => [source.connector_id, source]));
}

function expectedSources(
  record: ReferenceEntity | ReferenceRelationship | undefined,
  priorities: ReadonlyMap<string, number>,
): ReadonlyMap<string, object> {
  const listed = Array.from(record?.statements ?? [], ([connectorId, { fields, sinceMs }]) => {
    const values = Object.entries(fields).map(([name, { value }]) => [name, value] as const);
    const { class: name, display_name, _labels, _verb: verb, ...properties } = Object.fromEntries(values);
    const source = {
      connector_id: connectorId,
      priority: priorities.get(connectorId) ?? 0,
      since: new Date(sinceMs).toISOString(),
      ...(name !== undefined && { class: name }),
      ...(display_name !== undefined && { display_name }),
      ...(Array.isArray(_labels) && { labels: _labels as readonly string[] }),
      ...(record !== undefined && 'verb' in record && verb !== record.verb && { verb }),
      properties,
    };
    return [connectorId, source] as const;
  });
  return new Map(listed);
}

function expectedEntities(reference: ReferenceGraph): Map<string, unknown> {
  const shown = Array.from(reference.entities, ([name, entity]) => {
    const { type, key, displayName, labels, properties, stamp } = entity;
    const id = entityId(type, key);
    const names = { id, type, class: entity.class, key, display_name: displayName };
    const content = { ...names, ...(labels && { labels }), properties };
    return [name, { ...content, ...stampFields(stamp) }] as const;
  });
  return new Map(shown);
}

function expectedRelationships(reference: ReferenceGraph): Map<string, unknown> {
  const shown = Array.from(reference.relationships, ([name, { from, verb, to, key, properties, stamp }]) => {
    const fromId = entityId(from.type, from.key);
    const toId = entityId(to.type, to.key);
    const content = {
      id: relationshipId(fromId, verb, toId, key),
      verb,
      from: { id: fromId, ...from },
      to: { id: toId, ...to },
      ...(key === undefined ? {} : { key }),
      properties,
    };
    return [name, { ...content, ...stampFields(stamp) }] as const;
  });
  return new Map(shown);
}
