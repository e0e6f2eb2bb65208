import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type GraphData, graphOf } from './graph-data.ts';
import { graphMlOf, svgOf } from './graph-files.ts';
import { layeredLayout } from './layered-layout.ts';

const node = (id: string) => ({ id, type: 'host', class: 'Host', key: id, name: id });
const edge = (from: string, to: string) => ({ id: `${from}-${to}`, verb: 'RUNS', from, to });
const graph = fc.array(fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 12 }))).map((pairs): GraphData => {
  const names = new Set(pairs.flat().map(String));
  return { nodes: [...names].map(node), edges: pairs.map(([a, b]) => edge(String(a), String(b))) };
});

describe('layeredLayout', () => {
  it('puts a path into columns', () => {
    const path = { nodes: ['a', 'b', 'c'].map(node), edges: [edge('a', 'b'), edge('b', 'c')] };

    const columns = Array.from(layeredLayout(path).values(), ({ x }) => x);

    expect(columns).toEqual([0, 1, 2]);
  });

  it('starts a blast radius at its origin, also against the relationships', () => {
    const edges = [edge('x', 'bad'), edge('y', 'bad'), edge('z', 'x'), edge('w', 'x')];

    const places = layeredLayout({ nodes: ['x', 'y', 'z', 'w', 'bad'].map(node), edges });

    expect(['bad', 'x', 'y', 'z', 'w'].map((id) => places.get(id)?.x)).toEqual([0, 1, 1, 2, 2]);
  });

  it('gives every node its own position, and neighbours adjacent columns', () => {
    fc.assert(
      fc.property(graph, (data) => {
        const places = layeredLayout(data);

        expect(new Set(Array.from(places.values(), ({ x, y }) => `${x},${y}`)).size).toBe(data.nodes.length);
        for (const { from, to } of data.edges) {
          expect(Math.abs((places.get(from)?.x ?? 0) - (places.get(to)?.x ?? 9))).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

describe('graphMlOf', () => {
  it('escapes XML, and omits edges without both ends', () => {
    const data = {
      nodes: [{ ...node('a'), name: '<&"\u0000>' }, node('b')],
      edges: [edge('a', 'b'), edge('a', 'x')],
    };

    const text = graphMlOf(data);

    expect(text).toContain('<data key="name">&lt;&amp;&quot;&gt;</data>');
    expect(text.match(/<edge /g)).toHaveLength(1);
    expect(text).toContain('<edge id="a-b" source="a" target="b"><data key="verb">RUNS</data></edge>');
  });
});

describe('svgOf', () => {
  it('has a circle for each node and a line for each edge, inside its frame', () => {
    const nodes = [0, 1, 2].map((i) => ({
      id: `n${i}`,
      name: `n${i}`,
      color: '#123456',
      size: 4,
      x: i * 10,
      y: i,
    }));

    const text = svgOf(nodes, [edge('n0', 'n1'), edge('n1', 'nowhere')], 200);

    expect(text.match(/<circle /g)).toHaveLength(3);
    expect(text.match(/<line /g)).toHaveLength(1);
    expect(text).toContain('viewBox="0 0 200 92"');
  });

  it('draws a single node', () => {
    expect(svgOf([{ id: 'a', name: 'a', color: '#000000', size: 3, x: 5, y: 5 }], [])).not.toContain('NaN');
  });
});

describe('graphOf', () => {
  it('includes complete records in cells, each once', () => {
    const stamp = {
      source: { connector_id: 'c', sync_id: 's', synced_at: '' },
      created_at: '',
      updated_at: '',
      last_seen_at: '',
      deleted_at: null,
      version: 1,
    };
    const entity = (id: string) => ({
      ...stamp,
      id,
      type: 'host',
      class: 'Host',
      key: id,
      display_name: id,
      properties: {},
    });
    const end = (id: string) => ({ id, type: 'host', key: id });
    const link = { ...stamp, id: 'r', verb: 'RUNS', from: end('a'), to: end('b'), properties: {} };
    const reply = {
      count: 2,
      entities: [entity('a')],
      columns: ['b', 'r'],
      rows: [
        [entity('b'), link],
        [entity('a'), link],
      ],
      warnings: [],
      snapshot_version: 1,
      took_ms: 1,
    };

    const { nodes, edges } = graphOf([reply]);

    expect(nodes.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(edges).toEqual([{ id: 'r', verb: 'RUNS', from: 'a', to: 'b' }]);
  });
});
