import { describe, expect, it } from '@jest/globals';
import { createProperties, type EntityInput, type Properties } from '#graph/model';
import { NaiveReader } from '#graph/testing';
import { completed } from '#platform/foundation';
import { SnapshotGraph } from './snapshot-graph.ts';

function graphOf(...entities: readonly Partial<EntityInput>[]): SnapshotGraph {
  const whole = entities.map((each, at) => {
    const type = each.type ?? 'host';
    return {
      type,
      key: String(at),
      class: type,
      displayName: String(at),
      ...each,
      properties: ownProperties(each),
    };
  });
  return new SnapshotGraph(new NaiveReader({ entities: whole, relationships: [] }));
}

function ownProperties({ properties = {} }: Partial<EntityInput>): Properties {
  return Object.assign(createProperties(), properties);
}

function found(graph: SnapshotGraph, ...labels: readonly string[]): readonly number[] {
  return [...completed(graph.scan({ labels, equals: [] }))];
}

describe('a snapshot as a property graph', () => {
  it('has type, class and further labels as labels, each once', () => {
    const graph = graphOf({ class: 'Host', labels: ['Host', 'Pci'] }, { type: 'user' });

    expect(graph.labels(0)).toEqual(['host', 'Host', 'Pci']);
    expect(graph.labels(1)).toEqual(['user']);
    expect(found(graph, 'Pci')).toEqual([0]);
    expect(found(graph, 'host', 'Pci')).toEqual([0]);
    expect(found(graph, 'user', 'Pci')).toEqual([]);
  });

  it('hides the type of a node without labels', () => {
    const graph = graphOf({ type: '_' }, { type: '_', labels: ['Late'] });

    expect([graph.labels(0), graph.labels(1)]).toEqual([[], ['Late']]);
    expect(found(graph, '_')).toEqual([]);
    expect(found(graph)).toEqual([0, 1]);
  });

  it('hides a type that was removed as a label', () => {
    const graph = graphOf({ labels: ['_'] }, { class: 'Host', labels: ['Pci', '_'] }, {});

    expect([graph.labels(0), graph.labels(1), graph.labels(2)]).toEqual([[], ['Host', 'Pci'], ['host']]);
    expect(found(graph, 'host')).toEqual([2]);
    expect(found(graph, 'Host')).toEqual([1]);
    expect([0, 1, 2].map((node) => graph.hasLabel(node, 'host'))).toEqual([false, false, true]);
  });

  it('reads a property of any name before the field of the record', () => {
    const graph = graphOf({ properties: { _module_name: 'ec2', _key: 'own', class: 'c' } }, {});

    expect(['_module_name', '_key', 'class'].map((key) => graph.nodeProperty(0, key))).toEqual([
      'ec2',
      'own',
      'c',
    ]);
    expect(['_module_name', '_key', 'class', 'constructor'].map((key) => graph.nodeProperty(1, key))).toEqual(
      [null, '1', null, null],
    );
    expect([...completed(graph.scan({ labels: [], equals: [['_module_name', ['ec2']]] }))]).toEqual([0]);
  });
});
