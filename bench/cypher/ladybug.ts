import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection, Database, type PreparedStatement } from '@ladybugdb/core-linux-x64';
import { versionOf } from '../harness/versions.ts';
import type { CypherEngine } from './engine.ts';
import type { GraphTables, LinkTable } from './graph-tables.ts';

const PACKAGE = '@ladybugdb/core-linux-x64';

/** Ladybug with a table for each label and type, loaded by COPY; statements are prepared once. */
export async function openLadybug(directory: string, tables: GraphTables): Promise<CypherEngine> {
  const database = new Database(join(directory, 'graph.lbug'));
  const connection = new Connection(database);
  await load(connection, directory, tables);
  const prepared = new Map<string, PreparedStatement>();
  return {
    name: 'ladybug',
    version: versionOf(PACKAGE),
    ask: async (cypher, parameters) => {
      const statement = prepared.get(cypher) ?? (await connection.prepare(cypher));
      prepared.set(cypher, statement);
      const rows = await (await connection.execute(statement, parameters)).getAll();
      return rows.map((row) => Object.values(row));
    },
    close: async () => {
      await connection.close();
      await database.close();
    },
  };
}

async function load(connection: Connection, directory: string, { nodes, links }: GraphTables): Promise<void> {
  const copy = async (target: string, lines: readonly string[]): Promise<void> => {
    const path = join(directory, 'rows.csv');
    writeFileSync(path, lines.join('\n') + '\n');
    await connection.query(`COPY ${target.replace('FILE', `'${path}'`)}`);
    rmSync(path);
  };
  for (const { label, columns, rows } of nodes) {
    const declared = columns.map(({ name, type }) => `, ${name} ${type}`).join('');
    await connection.query(`CREATE NODE TABLE ${label} (name STRING PRIMARY KEY${declared})`);
    const names = ['name', ...columns.map(({ name }) => name)];
    await copy(
      `${label} FROM FILE`,
      rows.map((row) => names.map((name) => row[name]).join(',')),
    );
  }
  for (const [type, own] of Map.groupBy(links, (link) => link.type)) {
    const ends = own.map(({ from, to }) => `FROM ${from} TO ${to}`).join(', ');
    await connection.query(`CREATE REL TABLE ${type} (${ends})`);
    for (const link of own)
      await copy(
        fileOf(link, own.length > 1),
        link.rows.map((ends) => ends.join(',')),
      );
  }
  await connection.query('CHECKPOINT');
}

/** A type with several pairs of ends names that of the file. */
function fileOf({ type, from, to }: LinkTable, isOneOfSeveral: boolean): string {
  return `${type} FROM FILE${isOneOfSeveral ? ` (from='${from}', to='${to}')` : ''}`;
}
