import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  arbitraryGraph,
  arbitraryQuestions,
  entity,
  type GraphData,
  graphReaderConformance,
  NaiveReader,
  putEntity,
  putRelationship,
  queryConformance,
  relationship,
  replyWithWarnings,
  STAMP,
  TEST_OPTIONS,
} from '#graph/testing';
import type { EntityInput, RelationshipInput, Scope } from '#graph/model';
import { MemoryGraph } from '../memory-graph.ts';
import { ScopedSnapshot } from './scoped-snapshot.ts';

const OTHERS_STAMP = { ...STAMP, connectorId: 'other' };

/** Entities that a scope hides, with names, properties and verbs of others and some of their own. */
interface Hidden {
  readonly scope: Scope;
  readonly entities: readonly EntityInput[];
  readonly stamp: typeof STAMP;
}

const OF_ONE_SOURCE: Hidden = {
  scope: { only: { sources: ['test'] } },
  entities: [entity('host', 'Host', 'hidden', { os: 'linux', hush: 1 }), entity('hushed', 'Hush', 'b')],
  stamp: OTHERS_STAMP,
};

const HIDDEN: Readonly<Record<string, Hidden>> = {
  'that hides a type': {
    scope: { except: { types: ['hushed'] } },
    entities: [
      entity('hushed', 'Host', 'a', { os: 'linux', hush: 1 }),
      { ...entity('hushed', 'Hush', 'b', { cpu: 'many' }), labels: ['Labelled', 'quiet'] },
    ],
    stamp: STAMP,
  },
  'that hides a class and a label': {
    scope: { except: { classes: ['Hush', 'quiet'] } },
    entities: [
      entity('host', 'Hush', 'hidden', { os: 'linux', hush: 1 }),
      { ...entity('user', 'Host', 'hidden', { cpu: 'many' }), labels: ['Labelled', 'quiet'] },
    ],
    stamp: STAMP,
  },
  'of one source': OF_ONE_SOURCE,
};

/** Everything of the data, and what is hidden, linked with it in all directions and among itself. */
function putAll(graph: MemoryGraph, data: GraphData, { entities, stamp }: Hidden): void {
  for (const item of data.entities) putEntity(graph, 1, item);
  for (const item of entities) putEntity(graph, 1, item, stamp);
  for (const item of data.relationships) putRelationship(graph, 1, item);
  for (const item of hiddenLinks(data, entities)) putRelationship(graph, 1, item);
  // Only a scope that knows sources hides a link between two entities that it shows.
  const [first, last] = [data.entities[0], data.entities.at(-1)];
  if (stamp === OTHERS_STAMP && first !== undefined && last !== undefined)
    putRelationship(graph, 1, relationship(first, 'WATCHES', last), stamp);
  graph.publish(1);
}

function hiddenLinks(data: GraphData, hidden: readonly EntityInput[]): RelationshipInput[] {
  const [one, two] = hidden;
  const between = one === undefined || two === undefined ? [] : [relationship(one, 'HUSHES', two)];
  const crossing = hidden.flatMap((item) =>
    data.entities.flatMap((other) => [relationship(item, 'RUNS', other), relationship(other, 'uses', item)]),
  );
  return [...between, ...crossing];
}

function scoped(graph: MemoryGraph, { scope }: Hidden): ScopedSnapshot {
  return new ScopedSnapshot(graph.snapshot(), scope);
}

async function sealed(data: GraphData, hidden: Hidden): Promise<ScopedSnapshot> {
  const graph = MemoryGraph.create(TEST_OPTIONS);
  putAll(graph, data, hidden);
  await graph.seal();
  return scoped(graph, hidden);
}

graphReaderConformance('a scope of one source, over a delta', (data) => {
  const graph = MemoryGraph.create(TEST_OPTIONS);
  putAll(graph, data, OF_ONE_SOURCE);
  return scoped(graph, OF_ONE_SOURCE);
});

for (const [name, hidden] of Object.entries(HIDDEN)) {
  graphReaderConformance(`a scope ${name}, over a sealed base`, (data) => sealed(data, hidden));

  queryConformance(`a scope ${name}`, (data) => sealed(data, hidden));

  describe(`queries over a scope ${name}`, () => {
    it('give the warnings of a graph without what it hides', () =>
      fc.assert(
        fc.asyncProperty(arbitraryGraph, arbitraryQuestions, async (data, questions) => {
          const reader = await sealed(data, hidden);
          const naive = new NaiveReader(data);
          for (const pql of [...questions, 'FIND hushed WITH hush = 1', 'FIND * THAT HUSHES Hush'])
            expect(replyWithWarnings(reader, pql)).toBe(replyWithWarnings(naive, pql));
        }),
        { verbose: fc.VerbosityLevel.Verbose },
      ));
  });
}
