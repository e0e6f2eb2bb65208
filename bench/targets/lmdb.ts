import { open, type Put, type RootDatabase } from 'lmdb';
import { recordOf, type EntityRecord, type EntityRow } from '../data/rows.ts';
import { versionOf } from '../harness/versions.ts';
import { inTurn, only, type Target, type TargetSetup } from './target.ts';

const MAP_BYTES = 16 * 2 ** 30;

/** An entity by id, or a relationship by its ends and verb. */
type Key = string | readonly [direction: number, entity: number, kind: number, other: number];
type Store = RootDatabase<EntityRecord | true, Key>;

/**
 * LMDB as a plain store: objects by id in its own binary encoding, relationships as keys in both directions.
 * Commits overlap their syncs, its fastest mode; a promise is awaited until its data has been synced.
 */
export function openLmdb({ directory, questions }: TargetSetup): Promise<Target> {
  const database: Store = open<EntityRecord | true, Key>({
    path: directory,
    mapSize: MAP_BYTES,
    sharedStructuresKey: '_structures',
    // Without it a put has no promise of its sync, and its `flushed` is undefined.
    separateFlushed: true,
  });
  return Promise.resolve({
    version: versionOf('lmdb'),
    operations: {
      lookup: (at) => {
        const record = database.get(inTurn(questions.lookups, at).id);
        return only(typeof record === 'object' ? [record] : []);
      },
    },
    addEntities: async (batch) => {
      for (const row of batch) void putEntity(database, row);
      await database.flushed;
    },
    addRelationships: async (batch) => {
      for (const { from, kind, to } of batch) {
        void database.put([0, from, kind, to], true);
        void database.put([1, to, kind, from], true);
      }
      await database.flushed;
    },
    addOne: async (row) => {
      await putEntity(database, row).flushed;
    },
    settle: () => undefined,
    close: () => database.close(),
  });
}

function putEntity(database: Store, row: EntityRow): Put {
  return database.put(row.id, recordOf(row));
}
