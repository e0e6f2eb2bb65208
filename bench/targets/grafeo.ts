import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DEPTHS } from '../data/questions.ts';
import { LINK_KINDS } from '../data/vocabulary.ts';
import { versionOf } from '../harness/versions.ts';
import { inTurn, type Operations, type Target, type TargetSetup } from './target.ts';

const PACKAGE = '@grafeo-db/js-linux-x64-gnu';

/** The used part of the package: a native library, which only `require` loads. */
interface GrafeoDB {
  executeCypher(
    cypher: string,
    values?: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly scalar: () => unknown }>;
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

/**
 * Grafeo, an embedded graph database in Rust, queried in Cypher, from its Linux package. Its documentation
 * does not say when a batch is synced, so its loading is not timed. It evaluates depth 8 path by path, which
 * does not terminate: that query is skipped.
 */
export async function openGrafeo({ directory, questions, isNew }: TargetSetup): Promise<Target> {
  const path = join(directory, 'graph.grafeo');
  const { GrafeoDB } = createRequire(import.meta.url)(PACKAGE) as Grafeo;
  const database = GrafeoDB[isNew ? 'create' : 'open'](path);
  if (isNew) {
    for (const property of ['n', 'name'])
      await database.executeCypher(`CREATE INDEX entity_${property} FOR (e:Entity) ON (e.${property})`);
  }
  const nodes: number[] = [];
  return {
    version: versionOf(PACKAGE),
    operations: operationsOf(database, questions),
    addEntities: async (batch) => {
      const rows = batch.map(({ index, body }) => {
        const { name, state } = body.properties;
        return { n: index, type: body.type, name, state };
      });
      nodes.push(...(await database.batchCreateNodesWithProps(['Entity'], rows)));
    },
    addRelationships: async (batch) => {
      await database.batchCreateEdges(
        batch.map(({ from, to, kind }) => ({
          src: nodes[from] ?? -1,
          dst: nodes[to] ?? -1,
          type: LINK_KINDS[kind]?.verb ?? '',
        })),
      );
    },
    settle: () => {
      database.walCheckpoint();
    },
    close: () => {
      database.close();
    },
  };
}

function operationsOf(database: GrafeoDB, questions: TargetSetup['questions']): Partial<Operations> {
  const answer = async (cypher: string, values: Readonly<Record<string, string | number>>): Promise<number> =>
    Number((await database.executeCypher(cypher, values)).scalar());
  return {
    count: () =>
      answer(`MATCH (h:Entity) WHERE h.type = 'host' AND h.state = $state RETURN count(*) AS answer`, {
        state: questions.state,
      }),
    twoHopsSelective: (at) =>
      answer(
        `MATCH (u:Entity)-[:OWNS]->(:Entity)-[:RUNS]->(s:Entity) WHERE s.type = 'service' AND s.name = $name
         RETURN count(DISTINCT u) AS answer`,
        { name: inTurn(questions.serviceNames, at) },
      ),
    twoHops: () =>
      answer('MATCH (u:Entity)-[:OWNS]->(:Entity)-[:RUNS]->(:Entity) RETURN count(DISTINCT u) AS answer', {}),
    breadthShallow: () =>
      answer(
        `MATCH (a:Entity {n: $n})-[*1..${DEPTHS.shallow}]->(b:Entity) WHERE b.n <> a.n
         RETURN count(DISTINCT b) AS answer`,
        { n: questions.start.index },
      ),
    shortestPath: (at) => {
      const { fromIndex, toIndex } = inTurn(questions.pathEnds, at);
      return answer(
        'MATCH p = shortestPath((a:Entity {n: $from})-[*1..30]->(b:Entity {n: $to})) RETURN length(p) AS answer',
        { from: fromIndex, to: toIndex },
      );
    },
  };
}
