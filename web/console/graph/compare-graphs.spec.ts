import { describe, expect, it } from '@jest/globals';
import type { GraphEdge, GraphNode } from './graph-data.ts';
import { compareGraphs } from './compare-graphs.ts';

const node = (id: string, properties: GraphNode['properties'] = {}, rest = {}): GraphNode => {
  return { id, type: 'host', class: 'Host', key: id, name: id, properties, ...rest };
};
const edge = (from: string, to: string, properties: GraphEdge['properties'] = {}): GraphEdge => {
  return { id: `${from}-${to}`, verb: 'USES', from, to, properties };
};

describe('two graphs', () => {
  it('differ by what came, went and changed; the rest is the same', () => {
    const before = {
      nodes: [node('kept', { tags: ['a'] }), node('gone'), node('web', { state: 'up', os: 'linux' })],
      edges: [edge('web', 'gone'), edge('web', 'kept')],
    };
    const after = {
      nodes: [node('kept', { tags: ['a'] }), node('new'), node('web', { state: 'down', zone: 'a' })],
      edges: [edge('web', 'new'), edge('web', 'kept')],
    };

    const { data, marks, changes } = compareGraphs(before, after);

    expect(Object.fromEntries(marks)).toEqual({
      gone: 'went',
      new: 'came',
      web: 'changed',
      'web-gone': 'went',
      'web-new': 'came',
    });
    expect(data.nodes.map(({ id }) => id).sort()).toEqual(['gone', 'kept', 'new', 'web']);
    expect(data.edges).toHaveLength(3);
    expect(changes.map(({ name }) => name)).toEqual([
      'gone',
      'new',
      'web',
      'web ─USES→ gone',
      'web ─USES→ new',
    ]);
    expect(changes[2]?.fields).toEqual([
      { name: 'os', old: 'linux' },
      { name: 'state', old: 'up', new: 'down' },
      { name: 'zone', new: 'a' },
    ]);
    // The later state is shown.
    expect(data.nodes.find(({ id }) => id === 'web')?.properties['state']).toBe('down');
  });

  it('differ by the properties and the spelling of a verb of a relationship', () => {
    const nodes = [node('web'), node('db'), node('log')];
    const same = edge('web', 'log', { ports: [443] });
    const before = { nodes, edges: [same, edge('web', 'db', { port: 5432, tls: true, _verb: 'x' })] };
    const now = { ...edge('web', 'db', { port: 5433, via: 'proxy', _verb: 'x' }), verb: 'uses' };
    const after = { nodes, edges: [edge('web', 'log', { ports: [443] }), now] };

    const { marks, changes } = compareGraphs(before, after);

    expect(Object.fromEntries(marks)).toEqual({ 'web-db': 'changed' });
    expect(changes).toEqual([
      {
        kind: 'relationship',
        id: 'web-db',
        mark: 'changed',
        name: 'web ─uses→ db',
        fields: [
          { name: '_verb', old: 'USES', new: 'uses' },
          { name: 'port', old: 5432, new: 5433 },
          { name: 'tls', old: true },
          { name: 'via', new: 'proxy' },
        ],
      },
    ]);
  });

  it('tell an entity’s class and name from properties with these names', () => {
    const before = { nodes: [node('a', { class: 'x' })], edges: [] };
    const after = { nodes: [node('a', { class: 'y' }, { name: 'b', class: 'Server' })], edges: [] };

    expect(compareGraphs(before, after).changes[0]?.fields).toEqual([
      { name: 'class', old: 'Host', new: 'Server' },
      { name: 'display_name', old: 'a', new: 'b' },
      { name: 'properties.class', old: 'x', new: 'y' },
    ]);
    expect(compareGraphs(before, before).changes).toEqual([]);
  });
});
