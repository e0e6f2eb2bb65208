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

/** A full sync of a source with one host, related to itself. */
async function sync(connectorId: string, properties: EntityStatement['properties'], more: object = {}) {
  harness.clock.turn(1_000);
  const entities = [{ ...WEB, properties }];
  const relationships = [{ from: WEB, verb: 'USES', to: WEB, properties }];
  await harness.graph.sync({ connectorId, syncId: `s${++syncs}`, entities, relationships, ...more });
}

/** A transaction that patches the host and its relationship. */
async function commit(properties: EntityStatement['properties'], connectorId = 'cypher'): Promise<void> {
  harness.clock.turn(1_000);
  const transaction = harness.graph.transaction();
  await transaction.commit({
    connectorId,
    entities: [{ ...WEB, properties }],
    relationships: [{ from: WEB, verb: 'USES', to: WEB, properties }],
    deleted: { entities: [], relationships: [] },
    isCurrent: () => true,
    unchanged: [ID, LOOP],
    collides: () => false,
    collidesLink: () => false,
    requireDeletable: () => undefined,
  });
  transaction.end();
}

function shown(): object {
  const { properties } = harness.graph.entity(ID);
  expect({ ...harness.graph.relationship(LOOP).properties }).toEqual({ ...properties });
  return { ...properties };
}

describe('what a transaction states about records of other sources', () => {
  it('overrides their values, whatever their priority, when and after they repeat or change them', async () => {
    await sync('aws', { os: 'linux', cpu: 4 }, { priority: 100 });
    await commit({ os: 'bsd', note: 'seen' });
    expect(shown()).toEqual({ os: 'bsd', cpu: 4, note: 'seen' });

    await sync('aws', { os: 'windows', cpu: 8 }, { priority: 100 });
    await harness.reopen();
    expect(shown()).toEqual({ os: 'bsd', cpu: 8, note: 'seen' });
  });

  it('hides a value by null, also a later one', async () => {
    await sync('aws', { os: 'linux', cpu: 4 });
    await commit({ os: null });
    expect(shown()).toEqual({ cpu: 4 });

    await sync('aws', { os: 'windows', cpu: 4 });
    await harness.reopen();
    expect(shown()).toEqual({ cpu: 4 });

    await commit({ os: 'bsd' });
    expect(shown()).toEqual({ os: 'bsd', cpu: 4 });
  });

  it('removes its own value by null where no other source states one', async () => {
    await sync('aws', { cpu: 4 });
    await commit({ note: 'seen' });
    await commit({ note: null });
    expect(shown()).toEqual({ cpu: 4 });

    await sync('aws', { cpu: 4, note: 'theirs' });
    expect(shown()).toEqual({ cpu: 4, note: 'theirs' });
  });

  it('ends with the records that their sources drop', async () => {
    await sync('aws', { os: 'linux' });
    await sync('azure', { os: 'linux' });
    await commit({ os: 'bsd' });
    const gone = { connectorId: 'aws', entities: [], relationships: [], force: true };
    await harness.graph.sync({ ...gone, syncId: 'gone' });
    expect(shown()).toEqual({ os: 'bsd' });

    await harness.graph.sync({ ...gone, connectorId: 'azure', syncId: 'gone' });
    expect(harness.graph.stats()).toMatchObject({ total_entities: 0, total_relationships: 0 });

    await sync('aws', { os: 'linux' });
    expect(shown()).toEqual({ os: 'linux' });
  });

  it('keeps a record that it has made, and overrides a source that states it later', async () => {
    await commit({ os: 'bsd' });
    await sync('aws', { os: 'linux' }, { priority: 1 });
    expect(shown()).toEqual({ os: 'linux' });
    await commit({ os: 'mine' });
    expect(shown()).toEqual({ os: 'mine' });

    await harness.graph.sync({
      connectorId: 'aws',
      syncId: 'gone',
      entities: [],
      relationships: [],
      force: true,
    });
    expect(shown()).toEqual({ os: 'mine' });
  });

  it('of two transactions: the later one is shown', async () => {
    await sync('aws', { os: 'linux' });
    await commit({ os: 'one' }, 'a');
    await commit({ os: 'two' }, 'b');
    expect(shown()).toEqual({ os: 'two' });
    await commit({ os: null }, 'a');
    expect(shown()).toEqual({});
  });
});
