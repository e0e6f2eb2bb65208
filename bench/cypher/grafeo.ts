import { createRequire } from 'node:module';
import { join } from 'node:path';
import { versionOf } from '../harness/versions.ts';
import { batchesOf, type CypherEngine } from './engine.ts';
import type { GraphTables } from './graph-tables.ts';

const PACKAGE = '@grafeo-db/js-linux-x64-gnu';

interface GrafeoDB {
  executeCypher(
    cypher: string,
    values?: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly rows: () => readonly (readonly unknown[])[] }>;
  batchCreateNodesWithProps(labels: readonly string[], rows: readonly object[]): Promise<number[]>;
  batchCreateEdges(
    edges: readonly { readonly src: number; readonly dst: number; readonly type: string }[],
  ): Promise<number[]>;
  walCheckpoint(): void;
  close(): void;
}

interface Grafeo {
  readonly GrafeoDB: Readonly<Record<'create' | 'open', (path: string) => GrafeoDB>>;
}

/** Grafeo with an index on the name of each label. */
export async function openGrafeo(directory: string, { nodes, links }: GraphTables): Promise<CypherEngine> {
  const { GrafeoDB } = createRequire(import.meta.url)(PACKAGE) as Grafeo;
  const database = GrafeoDB.create(join(directory, 'graph.grafeo'));
  const numbers = new Map<string, number>();
  for (const { label, rows } of nodes) {
    await database.executeCypher(`CREATE INDEX ${label}_name FOR (n:${label}) ON (n.name)`);
    for (const batch of batchesOf(rows)) {
      const made = await database.batchCreateNodesWithProps([label], batch);
      for (const [at, { name }] of batch.entries()) numbers.set(`${label} ${name}`, made[at] ?? -1);
    }
  }
  for (const { type, from, to, rows } of links) {
    for (const batch of batchesOf(rows)) {
      await database.batchCreateEdges(
        batch.map(([a, b]) => ({
          src: numbers.get(`${from} ${a}`) ?? -1,
          dst: numbers.get(`${to} ${b}`) ?? -1,
          type,
        })),
      );
    }
  }
  database.walCheckpoint();
  return {
    name: 'grafeo',
    version: versionOf(PACKAGE),
    ask: async (cypher, parameters) => (await database.executeCypher(cypher, parameters)).rows(),
    close: () => {
      database.close();
    },
  };
}
