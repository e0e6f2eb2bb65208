import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Connection, Database, type PreparedStatement } from '@ladybugdb/core-linux-x64';
import { DEPTHS } from '../data/questions.ts';
import { LINK_KINDS } from '../data/vocabulary.ts';
import { versionOf } from '../harness/versions.ts';
import { inTurn, only, type Operations, type Target, type TargetSetup } from './target.ts';

const ENTITY_FILE = 'entities.csv';

/**
 * Ladybug, an embedded graph database with a columnar store, from its Linux package: the registry has no
 * other. It is loaded by COPY, its native method, once all rows exist, so its loading is not timed; it has
 * one node table and one relationship table per verb.
 */
export async function openLadybug({ directory, questions, isNew }: TargetSetup): Promise<Target> {
  const database = new Database(join(directory, 'graph.lbug'));
  const connection = new Connection(database);
  const files = isNew ? new CsvFiles(directory) : undefined;
  if (isNew) await createSchema(connection);
  return {
    version: versionOf('@ladybugdb/core-linux-x64'),
    operations: operationsOf(connection, questions),
    addEntities: (batch) => {
      const lines = batch.map(
        ({ index, body }) => `${index},${body.type},${body.properties.name},${body.properties.state}\n`,
      );
      files?.append(ENTITY_FILE, lines.join(''));
    },
    addRelationships: (batch) => {
      for (const { from, to, kind } of batch) {
        files?.append(linkFile(kind), `${from},${to}\n`);
      }
    },
    settle: async () => {
      files?.close();
      await copy(connection, 'Entity', join(directory, ENTITY_FILE));
      for (const [kind, { verb }] of LINK_KINDS.entries()) {
        await copy(connection, verb, join(directory, linkFile(kind)));
      }
      await connection.query('CHECKPOINT');
    },
    close: async () => {
      await connection.close();
      await database.close();
    },
  };
}

async function createSchema(connection: Connection): Promise<void> {
  await connection.query(
    'CREATE NODE TABLE Entity (n INT64 PRIMARY KEY, type STRING, name STRING, state STRING)',
  );
  for (const { verb } of LINK_KINDS)
    await connection.query(`CREATE REL TABLE ${verb} (FROM Entity TO Entity)`);
}

async function copy(connection: Connection, table: string, path: string): Promise<void> {
  await connection.query(`COPY ${table} FROM '${path}'`);
  rmSync(path);
}

function linkFile(kind: number): string {
  return `links-${kind}.csv`;
}

function operationsOf(connection: Connection, questions: TargetSetup['questions']): Partial<Operations> {
  const counter = (cypher: string): ((values?: Record<string, string | number>) => Promise<number>) => {
    let prepared: Promise<PreparedStatement> | undefined;
    return async (values = {}) => {
      prepared ??= connection.prepare(cypher);
      const result = await connection.execute(await prepared, values);
      return Number(only(await result.getAll())['answer']);
    };
  };
  const breadth = (depth: number): string =>
    `MATCH (a:Entity {n: $n})-[* SHORTEST 1..${depth}]->(b:Entity) WHERE b.n <> a.n RETURN count(b) AS answer`;
  const count = counter(
    `MATCH (h:Entity) WHERE h.type = 'host' AND h.state = $state RETURN count(*) AS answer`,
  );
  const twoHops = counter(
    'MATCH (u:Entity)-[:OWNS]->(:Entity)-[:RUNS]->(:Entity) RETURN count(DISTINCT u) AS answer',
  );
  const selective = counter(
    `MATCH (u:Entity)-[:OWNS]->(:Entity)-[:RUNS]->(s:Entity) WHERE s.type = 'service' AND s.name = $name
     RETURN count(DISTINCT u) AS answer`,
  );
  const shallow = counter(breadth(DEPTHS.shallow));
  const deep = counter(breadth(DEPTHS.deep));
  const path = counter(
    'MATCH p = (a:Entity {n: $from})-[* SHORTEST 1..30]->(b:Entity {n: $to}) RETURN length(p) AS answer',
  );
  return {
    count: () => count({ state: questions.state }),
    twoHopsSelective: (at) => selective({ name: inTurn(questions.serviceNames, at) }),
    twoHops: () => twoHops(),
    breadthShallow: () => shallow({ n: questions.start.index }),
    breadthDeep: () => deep({ n: questions.start.index }),
    shortestPath: (at) => {
      const { fromIndex, toIndex } = inTurn(questions.pathEnds, at);
      return path({ from: fromIndex, to: toIndex });
    },
  };
}

/** Appends to files by name, each opened once. */
class CsvFiles {
  readonly #directory: string;
  readonly #open = new Map<string, number>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  append(name: string, text: string): void {
    let file = this.#open.get(name);
    if (file === undefined) {
      file = openSync(join(this.#directory, name), 'a');
      this.#open.set(name, file);
    }
    writeSync(file, text);
  }

  close(): void {
    for (const file of this.#open.values()) closeSync(file);
    this.#open.clear();
  }
}
