import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryGraph } from '#graph/memory';
import { completeEntity, entityId, type EntityStatement } from '#graph/model';
import { putEntity, STAMP, TEST_OPTIONS } from '#graph/testing';
import { completed } from '#platform/foundation';
import { GraphHarness } from './graph-harness.ts';

const ID = entityId('host', 'h0');

let harness: GraphHarness;
let writes = 0;

beforeEach(async () => {
  harness = await GraphHarness.opened();
});
afterEach(() => harness.close());

function host(at: number, labels?: readonly string[]): EntityStatement {
  return { type: 'host', key: `h${String(at)}`, labels, properties: {} };
}

async function write(...entities: readonly EntityStatement[]): Promise<object> {
  return harness.graph.write({ writeId: String(++writes), entities, relationships: [] });
}

/** The keys of the entities with a name, and their number as counted by the indexes. */
function found(name: string): readonly unknown[] {
  const snapshot = harness.graph.snapshot();
  const nodes = completed(snapshot.select({ names: [name] }));
  expect(completed(snapshot.count({ names: [name] }))).toBe(nodes.length);
  const keys = Array.from(nodes, (node) => snapshot.nodeField(node, '_key'));
  snapshot.release();
  return keys;
}

describe('labels in the store', () => {
  it('stay through a restart', async () => {
    await write(host(0, ['Edge', 'Pci']), host(1), host(2, ['Pci']));
    await harness.reopen();

    expect(found('Pci')).toEqual(['h0', 'h2']);
    expect(harness.graph.entity(ID).labels).toEqual(['Edge', 'Pci']);
    expect(harness.graph.stats().label_counts).toEqual({ Edge: 1, Pci: 2 });
  });

  it('are found among more sets of labels than a dictionary holds', async () => {
    const graph = MemoryGraph.create(TEST_OPTIONS);
    for (let at = 0; at < 400; at++)
      putEntity(graph, 1, completeEntity(host(at, ['Every', `Only${String(at)}`])), STAMP);
    graph.publish(1);
    await graph.seal();

    const snapshot = graph.snapshot();
    const count = (names: readonly string[]): number => completed(snapshot.count({ names }));
    expect([count(['Only7']), count(['Every']), count(['Only7', 'Only9', 'nobody'])]).toEqual([1, 400, 2]);
    expect(snapshot.estimate({ names: ['Only7'] })).toBeLessThan(10);
  });

  it('change the content: a new version, and the old name finds nothing', async () => {
    await write(host(0, ['Old']));
    await write(host(0, ['New']));

    expect(harness.graph.entity(ID)).toMatchObject({ labels: ['New'], version: 2 });
    expect([found('Old'), found('New')]).toEqual([[], ['h0']]);
  });

  it('change the input of an answer that names them', async () => {
    await write(host(0, ['Old']));
    const { changes } = harness.graph;
    const mark = changes.mark(harness.graph.durableVersion);
    await write(host(1, ['New']));

    const hasChanged = (name: string): boolean =>
      changes.hasChanged({ names: [name], verbs: [], readsStamps: false }, mark);
    expect([hasChanged('New'), hasChanged('Old')]).toEqual([true, false]);
  });
});
