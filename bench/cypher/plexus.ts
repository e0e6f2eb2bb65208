import type { QueryResult } from '../../libs/graph/query/src/index.ts';
import { builtLibrary } from '../targets/built-library.ts';
import { batchesOf, type CypherEngine, type Parameters } from './engine.ts';
import type { GraphTables } from './graph-tables.ts';

const disk = await builtLibrary('platform/disk');
const engineLibrary = await builtLibrary('graph/engine');
const queryLibrary = await builtLibrary('graph/query');
const cypherLibrary = await builtLibrary('graph/cypher');
const execution = await builtLibrary('graph/execution');
const foundation = await builtLibrary('platform/foundation');

const CONNECTED = { aborted: false };
const SETTINGS = {
  queryTimeout: 600_000,
  queriesMax: 4,
  queryQueue: 16,
  queryMemory: 0,
  cursorsMax: 1,
  cursorsMemory: 1,
  cursorTtl: 60_000,
};
const WHOLE = {
  limit: 10_000,
  cursor: undefined,
  timeoutMs: undefined,
  includesDeleted: false,
  asOf: undefined,
};

/**
 * Plexus as in its server, in both of its languages: each text goes through the service that the doors ask,
 * with its place in the queue of queries, its limits and a snapshot of its own.
 */
export interface PlexusEngine extends CypherEngine {
  /** Reduces the answer to a question in PQL. */
  askPql<T>(pql: string, parameters: Parameters, reduce: (result: QueryResult) => T): Promise<T>;
}

export async function openPlexus(directory: string, { nodes, links }: GraphTables): Promise<PlexusEngine> {
  const open = () => engineLibrary.Graph.open({ directory, disk: new disk.NodeDisk() });
  const loading = await open();
  const body = { connectorId: 'bench' };
  for (const { label: type, rows } of nodes) {
    const entities = rows.map((row) => ({
      type,
      key: row.name,
      class: type,
      displayName: undefined,
      properties: row,
    }));
    for (const batch of batchesOf(entities))
      await loading.write({ ...body, entities: batch, relationships: [] });
  }
  for (const { type: verb, from, to, rows } of links) {
    const all = rows.map(([a, b]) => ({
      from: { type: from, key: a },
      verb,
      to: { type: to, key: b },
      properties: {},
    }));
    for (const batch of batchesOf(all)) await loading.write({ ...body, entities: [], relationships: batch });
  }
  // Closing seals the loaded data, as the server does by itself.
  await loading.close();
  const graph = await open();
  const clock = foundation.systemClock;
  const scheduler = execution.createScheduler(SETTINGS, clock);
  const transactions = new cypherLibrary.TransactionService({ graph, scheduler, settings: SETTINGS, clock });
  const queries = queryLibrary.createQueryService({ graph, scheduler, settings: SETTINGS, clock });
  return {
    name: 'plexus',
    ask: async (text, parameters) => {
      const result = await transactions.run(
        { text, parameters: new Map(Object.entries(parameters)) },
        { access: 'read' },
        CONNECTED,
      );
      const rows: (readonly unknown[])[] = [];
      do rows.push(...(await result.take(10_000)));
      while (result.hasMore);
      return rows;
    },
    askPql: async (pql, params, reduce) => {
      const open = await queries.open({ ...WHOLE, pql, params }, CONNECTED);
      try {
        return reduce(open.result);
      } finally {
        open.release();
      }
    },
    close: () => graph.close(),
  };
}
