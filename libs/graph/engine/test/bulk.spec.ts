import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { entityId } from '#graph/model';
import type { BulkOperation } from '../src/index.ts';
import { GraphHarness } from './graph-harness.ts';

const WEB = { type: 'host', key: 'web-01' };
const NGINX = { type: 'service', key: 'nginx' };

const DANGLING = { index: 1, code: 'DANGLING_RELATIONSHIP' };

let harness: GraphHarness;

beforeEach(async () => {
  harness = await GraphHarness.opened();
});
afterEach(() => harness.close());

function put(name: { type: string; key: string }, properties = {}): BulkOperation {
  return { op: 'entity', entity: { ...name, properties } };
}

function runs(to: { type: string; key: string }): BulkOperation {
  return { op: 'relationship', relationship: { from: WEB, verb: 'RUNS', to, properties: {} } };
}

describe('bulk', () => {
  it('keeps valid operations in order despite invalid ones', async () => {
    const reply = await harness.graph.bulk([
      runs(NGINX),
      put(WEB, { n: 1 }),
      put(NGINX),
      put(WEB, { n: 2 }),
      runs({ type: 'service', key: 'none' }),
      { op: 'delete_entity', entity: NGINX },
    ]);

    expect(reply).toMatchObject({
      entities_written: 3,
      relationships_written: 1,
      entities_deleted: 1,
      relationships_deleted: 1,
      errors: [{ index: 4, code: 'DANGLING_RELATIONSHIP' }],
    });
    expect(harness.graph.entity(entityId(WEB.type, WEB.key)).properties).toEqual({ n: 2 });
  });

  it.each([
    ['reported as', undefined, { entities: 1, relationships: 0, errors: [DANGLING] }],
    ['reported as', 'refuse', { entities: 1, relationships: 0, errors: [DANGLING] }],
    ['left out as', 'skip', { entities: 1, relationships: 0, warnings: [{ code: DANGLING.code }] }],
    ['given its end as', 'stub', { entities: 2, relationships: 1 }],
  ] as const)('a relationship whose end is missing is %s %s says', async (_, onDangling, expected) => {
    const { entities, relationships, ...said } = expected;

    const reply = await harness.graph.bulk([put(WEB), runs(NGINX)], { onDangling });

    const written = { entities_written: entities, relationships_written: relationships };
    expect(reply).toMatchObject({ ...written, errors: [], warnings: [], ...said });
    expect(harness.graph.stats()).toMatchObject({
      total_entities: entities,
      total_relationships: relationships,
    });
  });
});
