import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { entityId, type EntityStatement, relationshipId } from '#graph/model';
import { GraphHarness } from './graph-harness.ts';

const WEB = { type: 'host', key: 'web' };
const ID = entityId('host', 'web');
const LOOP = relationshipId(ID, 'USES', ID);

let harness: GraphHarness;
let syncs = 0;

beforeEach(async () => {
  harness = await GraphHarness.opened();
});
afterEach(() => harness.close());

async function sync(connectorId: string, more: Partial<EntityStatement>, mode: 'diff' | 'patch' = 'diff') {
  const { properties = {}, kinds } = more;
  const entities = [{ ...WEB, properties, kinds }];
  const relationships = [{ from: WEB, verb: 'USES', to: WEB, properties, kinds }];
  return harness.graph.sync({ connectorId, syncId: `s${++syncs}`, entities, relationships, mode });
}

/** Of the entity and of its relationship, which have the same properties. */
function shown(): unknown {
  const snapshot = harness.graph.snapshot();
  const [node, link] = [snapshot.nodeById(ID), snapshot.linkById(LOOP)];
  const { properties, version } = snapshot.entity(node);
  const kinds = snapshot.nodeKinds(node);
  expect(snapshot.relationship(link)).toMatchObject({ properties, version });
  expect(snapshot.linkKinds(link)).toEqual(kinds);
  snapshot.release();
  return { properties: { ...properties }, kinds: kinds && { ...kinds }, version };
}

describe('the kinds of properties', () => {
  it('are content: another kind of the same value is a new version', async () => {
    await sync('a', { properties: { x: 4 } });
    await sync('a', { properties: { x: 4 }, kinds: { x: 'float' } });
    await sync('a', { properties: { x: 4 }, kinds: { x: 'float' } });
    await harness.reopen();

    expect(shown()).toEqual({ properties: { x: 4 }, kinds: { x: 'float' }, version: 2 });
  });

  it('stay in a patch of other properties, and go with theirs', async () => {
    await sync('a', { properties: { x: 4, y: 5 }, kinds: { x: 'float', y: 'float' } });
    await sync('a', { properties: { y: 6 } }, 'patch');
    expect(shown()).toMatchObject({ properties: { x: 4, y: 6 }, kinds: { x: 'float' } });

    await sync('a', { properties: { x: null } }, 'patch');
    expect(shown()).toEqual({ properties: { y: 6 }, kinds: undefined, version: 3 });
  });

  it('belong to the statement of their source', async () => {
    await sync('a', { properties: { x: 4, y: 1 }, kinds: { x: 'float' } });
    await sync('b', { properties: { x: '7', z: '2026-01-02' }, kinds: { x: 'integer', z: 'date' } });
    await harness.reopen();
    expect(shown()).toMatchObject({
      properties: { x: '7', y: 1, z: '2026-01-02' },
      kinds: { x: 'integer', z: 'date' },
    });

    await harness.graph.sync({
      connectorId: 'b',
      syncId: 'gone',
      entities: [],
      relationships: [],
      force: true,
    });
    expect(shown()).toMatchObject({ properties: { x: 4, y: 1 }, kinds: { x: 'float' } });
  });
});
