import { readFileSync } from 'node:fs';
import type { Graph } from '../../libs/graph/engine/src/index.ts';
import type { GraphSnapshot } from '../../libs/graph/memory/src/index.ts';
import type { QueryEngine, QueryParameters, QueryResult } from '../../libs/graph/query/src/index.ts';
import { DEPTHS } from '../data/questions.ts';
import { BufferSink } from '../harness/buffer-sink.ts';
import { builtLibrary } from './built-library.ts';
import { inTurn, type Group, type Operations, type Target, type TargetSetup } from './target.ts';

// Loaded with this module, so that the time to open a store excludes it.
const diskLibrary = await builtLibrary('platform/disk');
const graphLibrary = await builtLibrary('graph/engine');
const modelLibrary = await builtLibrary('graph/model');
const queryLibrary = await builtLibrary('graph/query');

const ROWS_MAX = 1_000_000_000;
const CONNECTOR = 'bench';

/** The queries as a client writes them; a value that changes from call to call is a parameter. */
const PQL = {
  hosts: 'FIND host WITH state = $1',
  rack: 'FIND host WITH rack = $1',
  count: 'FIND host WITH state = $1 RETURN COUNT',
  group: 'FIND host GROUP BY region',
  notExists: 'FIND host WITH NOT owner EXISTS RETURN COUNT',
  either: 'FIND host WITH state = $1 OR region = $2 RETURN COUNT',
  twoHopsSelective: 'FIND user THAT OWNS host THAT RUNS service WITH name = $1 RETURN COUNT',
  twoHops: 'FIND user THAT OWNS host THAT RUNS service RETURN COUNT',
} as const;

/** Plexus as in its server: a snapshot per query, PQL text, the reply's bytes from the encoder. */
export function openPlexus({ directory, questions }: TargetSetup): Promise<Target> {
  return plexusOver(questions, () =>
    graphLibrary.Graph.open({ directory, disk: new diskLibrary.NodeDisk() }),
  );
}

/** The same, over any store returned by `open`. */
export async function plexusOver(
  questions: TargetSetup['questions'],
  open: () => Promise<Graph>,
): Promise<Target> {
  const held = { graph: await open() };
  return {
    version: versionOfProject(),
    operations: operationsOf(held, questions),
    addEntities: async (batch) => {
      await held.graph.write({
        connectorId: CONNECTOR,
        entities: batch.map(({ body }) => body),
        relationships: [],
      });
    },
    addRelationships: async (batch) => {
      await held.graph.write({
        connectorId: CONNECTOR,
        entities: [],
        relationships: batch.map(({ body }) => body),
      });
    },
    addOne: async ({ body }) => {
      await held.graph.write({ connectorId: CONNECTOR, entities: [body], relationships: [] });
    },
    settle: async () => {
      // Closing seals the loaded data, as the server does by itself a second after the last write.
      await held.graph.close();
      held.graph = await open();
    },
    close: () => held.graph.close(),
  };
}

function versionOfProject(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  return manifest.version;
}

function operationsOf(held: { readonly graph: Graph }, questions: TargetSetup['questions']): Operations {
  const asker = new Asker(held);
  const { start } = questions;
  const breadth = (depth: number): string =>
    `FIND BLAST RADIUS FROM ${start.type} WITH _key = $1 VIA RELATES TO >> DEPTH ${depth}`;
  const shallow = breadth(DEPTHS.shallow);
  const deep = breadth(DEPTHS.deep);
  return {
    lookup: (at) => held.graph.entity(inTurn(questions.lookups, at).id),
    hostsJson: () => asker.json(PQL.hosts, [questions.state]),
    rackJson: (at) => asker.json(PQL.rack, [inTurn(questions.racks, at)]),
    count: () => asker.count(PQL.count, [questions.state]),
    group: () => asker.groups(PQL.group),
    notExists: () => asker.count(PQL.notExists),
    either: () => asker.count(PQL.either, [questions.otherState, questions.region]),
    twoHopsSelective: (at) => asker.count(PQL.twoHopsSelective, [inTurn(questions.serviceNames, at)]),
    twoHops: () => asker.count(PQL.twoHops),
    breadthShallow: () => asker.count(shallow, [start.key]),
    breadthDeep: () => asker.count(deep, [start.key]),
    shortestPath: (at) => {
      const { from, to } = inTurn(questions.pathEnds, at);
      return asker.hops(`FIND SHORTEST PATH FROM '${from}' TO '${to}' VIA RELATES TO >>`);
    },
  };
}

/** Queries one engine, and reduces its answer. */
class Asker {
  readonly #held: { readonly graph: Graph };
  readonly #engine: QueryEngine;
  readonly #sink = new BufferSink();

  constructor(held: { readonly graph: Graph }) {
    this.#held = held;
    const { isKnownClass, isKnownVerb } = modelLibrary;
    const vocabulary = { hasClass: isKnownClass, hasVerb: isKnownVerb };
    this.#engine = new queryLibrary.QueryEngine({ vocabulary });
  }

  count(pql: string, params: QueryParameters = []): Promise<number> {
    return this.#ask(pql, params, (result) => result.count);
  }

  groups(pql: string): Promise<readonly Group[]> {
    return this.#ask(pql, [], (result) => {
      const { groups = [] } = result.page(0, ROWS_MAX);
      return groups.map(({ keys, count }): Group => [keys[0] as string | null, count]);
    });
  }

  hops(pql: string): Promise<number> {
    return this.#ask(pql, [], (result) => result.page(0, 1).paths?.[0]?.links.length ?? -1);
  }

  json(pql: string, params: QueryParameters): Promise<Uint8Array> {
    return this.#ask(pql, params, (result, snapshot) => {
      queryLibrary.encodeResult(result, snapshot, this.#sink, { offset: 0, limit: ROWS_MAX, tookMs: 0 });
      return this.#sink.take();
    });
  }

  async #ask<T>(
    pql: string,
    params: QueryParameters,
    reduce: (result: QueryResult, snapshot: GraphSnapshot) => T,
  ): Promise<T> {
    const snapshot = this.#held.graph.snapshot();
    try {
      return reduce(await this.#engine.run(snapshot, pql, { params }), snapshot);
    } finally {
      snapshot.release();
    }
  }
}
