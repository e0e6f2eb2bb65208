import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arbitraryGraph, type GraphData } from '#graph/testing';
import { completeEntity, entityId, isReservedName } from '#graph/model';
import { NodeDisk } from '#platform/disk';
import { runConnector, type TestRun } from '../../kit/run-connector.ts';
import { bloodhoundConnector } from './bloodhound-connector.ts';
import { OpenGraphExport } from './opengraph-export.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-opengraph-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function read(...documents: readonly (object | string)[]): Promise<TestRun> {
  const folder = await mkdtemp(join(directory, 'source-'));
  for (const [index, document] of documents.entries())
    await writeFile(
      join(folder, `${index}.json`),
      typeof document === 'string' ? document : JSON.stringify(document),
    );
  return runConnector(bloodhoundConnector(new NodeDisk()), { config: { file: folder } });
}

const edge = (kind: string, start: object, end: object, properties: object | null = null) => ({
  kind,
  start,
  end,
  properties,
});
const byName = (value: string, kind?: string) => ({ match_by: 'name', value, kind });
const by = (...values: readonly (readonly [string, unknown])[]) => ({
  match_by: 'property',
  property_matchers: values.map(([key, value]) => ({ key, operator: 'equals', value })),
});
const linksOf = ({ relationships }: TestRun): readonly string[] =>
  relationships.map(({ from, verb, to }) => `${from.type} ${from.key} ${verb} ${to.type} ${to.key}`).sort();

const NODES = [
  {
    id: 'gh-1',
    kinds: ['GHUser', 'Person'],
    properties: { name: 'ann', logins: 7, admin: true, ports: [1, 2] },
  },
  { id: 'GH-2', kinds: ['GHRepo'], properties: { name: 'shop', owner: 'corp', visibility: 'private' } },
  { id: 'gh-3', kinds: ['GHRepo'], properties: { name: 'docs', owner: 'corp', visibility: 'public' } },
  { id: 'gh-4', kinds: [], properties: null },
];

describe('a document of OpenGraph', () => {
  it('has nodes by their ids, with their kinds, and edges by id, name and properties', async () => {
    const edges = [
      edge('CanWrite', { value: 'GH-1' }, byName('SHOP', 'GHRepo')),
      edge('CanRead', byName('Ann'), by(['owner', 'corp'], ['visibility', 'public']), { since: 2020 }),
      edge('Knows', { value: 'gh-1', match_by: 'id' }, { value: 'S-1-5-21-1', kind: 'User' }),
    ];
    const run = await read({ metadata: { source_kind: 'GHBase' }, graph: { edges, nodes: NODES } });

    expect(run.report).toMatchObject({ status: 'complete', warnings: [] });
    expect(linksOf(run)).toEqual([
      'gh_user GH-1 CanRead gh_repo GH-3',
      'gh_user GH-1 CanWrite gh_repo GH-2',
      'gh_user GH-1 Knows user S-1-5-21-1',
    ]);
    const ann = run.entities.find(({ key }) => key === 'GH-1');
    expect(ann).toMatchObject({ class: 'GHUser', displayName: 'ann', labels: ['GHBase', 'Person'] });
    expect(ann?.properties).toEqual({
      ...NODES[0]?.properties,
      objectid: 'GH-1',
    });
    expect(run.relationships.find(({ verb }) => verb === 'CanRead')?.properties).toEqual({ since: 2020 });
    expect(run.entities.find(({ key }) => key === 'GH-4')).toMatchObject({
      type: 'gh_base',
      class: 'GHBase',
    });
  });

  it('meets the objects of a collector in the same source', async () => {
    const users = [{ ObjectIdentifier: 'S-1-5-21-1-1105', Properties: { name: 'ANN@LAB' }, Aces: [] }];
    const edges = [
      edge('SameAs', { value: 'gh-1' }, byName('ann@lab', 'User')),
      edge('Is', { value: 'gh-1' }, { value: 's-1-5-21-1-1105' }),
    ];
    const run = await read(
      { graph: { nodes: NODES, edges } },
      { data: users, meta: { type: 'users', version: 6, count: 1 } },
    );

    expect(linksOf(run)).toEqual([
      'gh_user GH-1 Is user S-1-5-21-1-1105',
      'gh_user GH-1 SameAs user S-1-5-21-1-1105',
    ]);
  });

  it('keeps what an edge to no object, or to one of several, was before', async () => {
    const edges = [
      edge('CanRead', { value: 'gh-1' }, by(['owner', 'corp'])),
      edge('CanWrite', byName('nobody'), { value: 'gh-2' }),
      edge('Knows', byName('nobody'), byName('none')),
    ];
    const { report, relationships, partialRelationships } = await read({ graph: { nodes: NODES, edges } });

    expect(relationships).toEqual([]);
    expect(report.status).toBe('partial');
    expect(report.warnings).toEqual([
      'collection: an edge CanRead has no end: several objects have owner corp',
      'collection: an edge CanWrite has no end: no object has name nobody',
      'collection: an edge Knows has no end: no object has name nobody; no object has name none',
    ]);
    expect(partialRelationships).toEqual([
      { type: 'gh_user', key: 'GH-1', end: 'from', verb: 'CanRead' },
      { type: 'gh_repo', key: 'GH-2', end: 'to', verb: 'CanWrite' },
    ]);
  });

  it('names the place of what it does not allow', async () => {
    const nodes = [
      { id: '', kinds: ['A'] },
      { id: 'a', kinds: 'A' },
      { id: 'b', kinds: ['A'], properties: { objectid: 'c' } },
      {
        id: 'd',
        kinds: ['A'],
        properties: { deep: { x: 1 }, mixed: [1, 'a'], class: 'x', _own: 1, none: null },
      },
    ];
    const edges = [
      edge('a-b', { value: 'd' }, { value: 'd' }),
      edge('A', { value: 7 }, { value: 'd' }),
      edge('A', { value: 'd' }, { match_by: 'colour', value: 'red' }),
      edge('A', { match_by: 'property', value: 'd' }, { value: 'd' }),
      7,
    ];
    const { report, entities } = await read({ graph: { nodes, edges } });

    expect(entities.map(({ key, properties }) => [key, properties])).toEqual([
      ['D', { deep: '{"x":1}', mixed: '[1,"a"]', objectid: 'D' }],
    ]);
    expect(report.warnings.map((warning) => warning.replace('collection: 0.json, ', ''))).toEqual([
      'graph.nodes[0]: id: expected a text, got a string; it is left out',
      'graph.nodes[1]: kinds: expected a list of texts; it is left out',
      'graph.nodes[2]: properties.objectid: expected the id b, got c; it is left out',
      'graph.nodes[3]: expected scalars and lists of one kind of them; as JSON text: deep, mixed; ' +
        'names that no property can have, left out: class, _own',
      'graph.edges[0]: kind: expected letters, digits and underscores; it is left out',
      'graph.edges[1]: start: value: expected a text, got a number; it is left out',
      'graph.edges[2]: end: match_by: expected id, name or property, got colour; it is left out',
      'graph.edges[3]: start: property_matchers: expected a list of matchers; it is left out',
      'graph.edges[4]: expected an object, got a number; it is left out',
      'collection: elements, or values in them, are left out; what earlier runs knew is kept',
    ]);
  });

  it.each([
    [
      'with a source kind that is no text',
      { metadata: { source_kind: 7 }, graph: { nodes: [] } },
      'metadata.source_kind: expected a text, got number',
    ],
    [
      'with data of a collector',
      { data: [], graph: { nodes: [] } },
      'expected one document, got "data" beside "graph"',
    ],
    [
      'that is cut',
      '{"graph": {"nodes": [{"id": "a"',
      'expected a JSON document, got one that ends at byte 31',
    ],
    [
      'with a kind that is too long',
      { graph: { nodes: [{ id: 'a', kinds: ['K'.repeat(200)] }] } },
      '0.json, graph.nodes[0]: ',
    ],
  ])('%s fails with the name of its file', async (_, document, reason) => {
    const { report } = await read(document);

    expect(report).toMatchObject({ status: 'failed', entities: 0 });
    expect(report.steps[0]?.reason).toContain('0.json');
    expect(report.steps[0]?.reason).toContain(reason);
  });

  it('may be empty', async () => {
    expect((await read({ graph: { nodes: [], edges: [] } })).report).toMatchObject({ status: 'complete' });
  });
});

/** A graph as it is exported, in the form of {@link arbitraryGraph}. */
function exported({ entities, relationships }: GraphData): {
  readonly document: object;
  readonly losses: readonly string[];
} {
  const out = new OpenGraphExport();
  const nodes = entities.map((each) => {
    const { displayName, labels, ...entity } = completeEntity(each);
    return out.node({
      ...entity,
      id: entityId(entity.type, entity.key),
      display_name: displayName,
      ...(labels && { labels }),
    });
  });
  const edges = relationships.map(({ from, to, verb, key, properties }) => {
    const end = (each: typeof from) => ({ id: entityId(each.type, each.key) });
    return out.edge({ from: end(from), to: end(to), verb, ...(key !== undefined && { key }), properties });
  });
  return { document: { graph: { nodes, edges } }, losses: out.losses() };
}

function contentOf({
  entities,
  relationships,
}: Pick<GraphData, 'entities' | 'relationships'>): readonly string[] {
  const nodes = entities.map((each) => {
    const { type, key, class: kind, displayName, labels = [], properties } = completeEntity(each);
    return JSON.stringify([type, key, kind, displayName, labels, Object.entries(properties).sort()]);
  });
  const edges = relationships.map(({ from, verb, to, key, properties }) =>
    JSON.stringify([from.type, from.key, verb, to.type, to.key, key, Object.entries(properties).sort()]),
  );
  return [...nodes, ...edges].sort();
}

/** Without what OpenGraph cannot hold, which the export reports. */
function holdable<Each extends { readonly properties: object }>(each: Each): Each {
  const entries = Object.entries(each.properties).filter(
    ([name, value]) => value !== null && !isReservedName(name),
  );
  return { ...each, properties: Object.fromEntries(entries) };
}

describe('an export to OpenGraph', () => {
  it('is read as the same graph, but for what it reports', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryGraph, async (graph) => {
        const { document, losses } = exported(graph);
        const run = await read(document);
        const rest = {
          entities: graph.entities.map(holdable),
          relationships: graph.relationships.map(holdable),
        };

        expect(contentOf(run)).toEqual(contentOf(rest));
        expect(run.report.warnings).toEqual([]);
        expect(losses.some((loss) => loss.includes('left out'))).toBe(
          contentOf(graph).join() !== contentOf(rest).join(),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('names what BloodHound does not take as it is', () => {
    const out = new OpenGraphExport();
    const base = { id: 'e1', type: 'host', class: 'Host', key: 'web', display_name: 'web', properties: {} };
    const properties = JSON.parse(
      '{"mixed": [1, "a"], "none": null, "plexus_key": "x", "class": "y"}',
    ) as Record<string, never>;
    out.node({ ...base, labels: ['a', 'b', 'c'], properties });
    const plain = out.edge({ from: base, to: base, verb: 'talks to', key: '443', properties: {} });

    expect(out.losses()).toEqual([
      '1 × older versions of BloodHound take 3 kinds at most: host web',
      '1 × a value that is no scalar and no list of one kind of them is JSON text: host web, mixed',
      '1 × a null, which OpenGraph does not have, is left out: host web, none',
      '2 × a property that is not read back under its name is left out: host web, plexus_key, host web, class',
    ]);
    expect(plain).toEqual({
      kind: 'talks_to',
      start: { value: 'web', match_by: 'id' },
      end: { value: 'web', match_by: 'id' },
      properties: { plexus_verb: 'talks to', plexus_key: '443' },
    });
    expect(out.edge({ from: base, to: { id: 'elsewhere' }, verb: 'RUNS', properties: {} })).toBeUndefined();
  });

  it('of the objects of a collector is without marks', async () => {
    const users = [{ ObjectIdentifier: 'S-1-5-21-1-1105', Properties: { name: 'ANN@LAB' }, Aces: [] }];
    const { entities, relationships } = await read({ data: users, meta: { type: 'users', version: 6 } });

    expect(exported({ entities, relationships }).document).toEqual({
      graph: {
        nodes: [
          {
            id: 'S-1-5-21-1-1105',
            kinds: ['User', 'Base'],
            properties: { name: 'ANN@LAB', objectid: 'S-1-5-21-1-1105' },
          },
        ],
        edges: [],
      },
    });
  });
});
