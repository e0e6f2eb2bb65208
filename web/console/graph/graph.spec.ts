import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canvasOf, canvasText, snapshotFrom } from './canvas-state.ts';
import { classColor } from './class-colors.ts';
import { curveOf, distanceTo, pointOn } from './edge-hit.ts';
import { type GraphData, graphOf } from './graph-data.ts';
import { graphMlOf, svgOf } from './graph-files.ts';
import { layeredLayout } from './layered-layout.ts';
import { UndoHistory } from './undo-history.ts';

const node = (id: string) => ({ id, type: 'host', class: 'Host', key: id, name: id, properties: {} });
const edge = (from: string, to: string) => {
  return { id: `${from}-${to}`, verb: 'RUNS', from, to, properties: {} };
};
const ROOMY = { width: Infinity, height: Infinity };
const graph = fc.array(fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 12 }))).map((pairs): GraphData => {
  const names = new Set(pairs.flat().map(String));
  return { nodes: [...names].map(node), edges: pairs.map(([a, b]) => edge(String(a), String(b))) };
});

describe('layeredLayout', () => {
  it('puts a path into columns', () => {
    const path = { nodes: ['a', 'b', 'c'].map(node), edges: [edge('a', 'b'), edge('b', 'c')] };

    const columns = Array.from(layeredLayout(path, ROOMY).values(), ({ x }) => x);

    expect(columns).toEqual([0, 1, 2]);
  });

  it('starts a blast radius at its origin, also against the relationships', () => {
    const edges = [edge('x', 'bad'), edge('y', 'bad'), edge('z', 'x'), edge('w', 'x')];

    const places = layeredLayout({ nodes: ['x', 'y', 'z', 'w', 'bad'].map(node), edges }, ROOMY);

    expect(['bad', 'x', 'y', 'z', 'w'].map((id) => places.get(id)?.x)).toEqual([0, 1, 1, 2, 2]);
  });

  it('gives every node its own position, and neighbours adjacent columns', () => {
    fc.assert(
      fc.property(graph, (data) => {
        const places = layeredLayout(data, ROOMY);

        expect(new Set(Array.from(places.values(), ({ x, y }) => `${x},${y}`)).size).toBe(data.nodes.length);
        for (const { from, to } of data.edges) {
          expect(Math.abs((places.get(from)?.x ?? 0) - (places.get(to)?.x ?? 9))).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

describe('a long path', () => {
  const ids = Array.from({ length: 12 }, (_, at) => `n${at}`);
  const path = {
    nodes: ids.map(node),
    edges: ids.slice(1).map((id, at) => edge(ids[at] ?? '', id)),
  };

  it.each([
    ['a wide canvas', { width: 1_060, height: 420 }, 6],
    ['a phone', { width: 180, height: 320 }, 2],
  ])('goes on in a next line, from its other side, on %s', (_, room, columns) => {
    const places = layeredLayout(path, room);
    const found = ids.map((id) => places.get(id) ?? { x: NaN, y: NaN });

    expect(Math.max(...found.map(({ x }) => x)) + 1).toBe(columns);
    expect(new Set(found.map(({ x, y }) => `${x},${y}`)).size).toBe(ids.length);
    for (const [at, { x, y }] of found.slice(1).entries()) {
      const before = found[at] ?? { x: NaN, y: NaN };
      // One column further in a line, or right below.
      expect([Math.abs(x - before.x), before.y - y]).toEqual((at + 1) % columns === 0 ? [0, 2] : [1, 0]);
    }
  });

  it('stays one line where it has room', () => {
    const places = layeredLayout(path, { width: 2_000, height: 100 });

    expect(ids.map((id) => places.get(id)?.x)).toEqual(ids.map((_, at) => at));
  });
});

describe('a wide layer', () => {
  it('becomes several columns, so that no two nodes have a place', () => {
    const leaves = Array.from({ length: 50 }, (_, i) => `leaf${i}`);
    const edges = leaves.map((leaf) => edge('root', leaf));

    const places = layeredLayout({ nodes: ['root', ...leaves].map(node), edges }, ROOMY);

    const columns = new Set(Array.from(places.values(), ({ x }) => x));
    expect([...columns].sort()).toEqual([0, 1, 2, 3]);
    expect(new Set(Array.from(places.values(), ({ x, y }) => `${x},${y}`)).size).toBe(51);
  });
});

describe('curveOf', () => {
  it('is under each of its points, and straight without curvature', () => {
    fc.assert(
      fc.property(fc.double({ min: -1, max: 1, noNaN: true }), fc.nat({ max: 16 }), (curvature, part) => {
        const curve = curveOf({ x: 0, y: 0 }, { x: 100, y: 50 }, curvature);
        const point = pointOn(curve, part / 16);

        expect(distanceTo(curve, point, curvature === 0)).toBeLessThan(1e-6);
      }),
    );
    expect(distanceTo(curveOf({ x: 0, y: 0 }, { x: 10, y: 0 }, 0), { x: 5, y: 3 }, true)).toBe(3);
  });
});

describe('canvasText', () => {
  const hex = fc.stringMatching(/^[0-9a-f]{32}$/);
  const place = fc.integer({ min: -1e6, max: 1e6 }).map((value) => value / 100);
  const state = fc.record({
    nodes: fc.array(fc.record({ id: hex, x: place, y: place, pinned: fc.boolean() }), { maxLength: 20 }),
    relationships: fc.array(hex, { maxLength: 20 }),
    hidden_classes: fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { maxLength: 3 }),
  });

  it('brings back the canvas', () => {
    fc.assert(
      fc.property(state, (canvas) => {
        expect(canvasOf(canvasText(canvas) ?? '')).toEqual(canvas);
      }),
    );
  });

  it('has no text for a canvas that is too large for an address', () => {
    const nodes = Array.from({ length: 400 }, () => ({ id: 'a'.repeat(32), x: 0, y: 0, pinned: false }));

    expect(canvasText({ nodes, relationships: [], hidden_classes: [] })).toBeUndefined();
  });

  it.each(['x', `${'a'.repeat(32)}1`, `${'a'.repeat(32)}1_2!b`, `${'a'.repeat(32)}_2`, '!!%'])(
    'reads nothing from %s',
    (text) => {
      expect(canvasOf(text)).toBeUndefined();
    },
  );

  it('leaves out what is gone', () => {
    const canvas = {
      nodes: ['a', 'gone'].map((id) => ({ id, x: 1, y: 2, pinned: true })),
      relationships: ['a-b'],
      hidden_classes: ['Host'],
    };

    const found = snapshotFrom(canvas, { nodes: [node('a'), node('b')], edges: [edge('a', 'b')] });

    expect(found.nodes.map(({ id }) => id)).toEqual(['a']);
    expect([...found.places]).toEqual([1, 2]);
    expect(found.hiddenClasses).toEqual(['Host']);
  });
});

describe('classColor', () => {
  it('follows from the name, and differs among common classes', () => {
    const common =
      'Host User UserGroup AccessRole Role Account Database DataStore Application Network Package Service License';
    const threats =
      'AttackPattern Malware IntrusionSet Campaign XMitreTactic Control Device Tool ThreatActor';
    const data = 'User Group Role Database Table Schema Host Service';
    const supply = 'Package License Project Image Vulnerability Host Service Group User';

    const families = [`${common} Group Computer Vulnerability`, threats, data, supply];
    for (const names of families.map((text) => text.split(' '))) {
      expect(new Set(names.map(classColor)).size).toBe(names.length);
    }
    expect(classColor('Host')).toBe('#d0679a');
  });
});

describe('UndoHistory', () => {
  it('goes back and forth, and forgets the oldest states beyond its size', () => {
    const history = new UndoHistory<{ readonly name: string; readonly size: number }>(10);
    const state = (name: string) => ({ name, size: 4 });
    for (const name of ['a', 'b', 'c']) history.record(state(name));

    const back = [history.undo(state('d')), history.undo(state('c')), history.undo(state('b'))];
    const forth = history.redo(state('b'));

    expect(back.map((each) => each?.name)).toEqual(['c', 'b', undefined]);
    expect(forth?.name).toBe('c');
    history.record(state('x'));
    expect([history.canRedo, history.canUndo]).toEqual([false, true]);
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
  it('has a circle for each node, and an arrow with its verb for each edge, inside its frame', () => {
    const nodes = [0, 1, 2].map((i) => ({
      id: `n${i}`,
      name: `n${i}`,
      color: '#123456',
      size: 4,
      x: i * 10,
      y: i,
    }));

    const edges = [edge('n0', 'n1'), edge('n1', 'nowhere')].map((each) => ({ edge: each, curvature: 0.2 }));
    const text = svgOf(nodes, edges, 200);

    expect(text.match(/<circle /g)).toHaveLength(3);
    expect(text.match(/<path [^>]*marker-end="url\(#arrow\)"/g)).toHaveLength(1);
    expect(text).toContain('>RUNS</text>');
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
    expect(edges).toEqual([{ id: 'r', verb: 'RUNS', from: 'a', to: 'b', properties: {} }]);
  });
});
