import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CheckSchema, findCheckSchemas } from '../src/check/check-schema.ts';
import { Cluster } from './cluster-harness.ts';

describe('schemas of checks', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start();
  });
  afterAll(() => cluster.stop());

  const states = async (drop: boolean): Promise<readonly string[]> =>
    (await findCheckSchemas(cluster.address, { drop })).map(({ schema, state }) => `${schema} ${state}`);

  it('are kept while their check renews its mark, and gone after it', async () => {
    const schema = await CheckSchema.make(cluster.address);
    const during = await states(true);
    const node = await cluster.open({ schema: schema.name });
    await cluster.close(node);
    await schema.drop();

    expect(during).toEqual([`${schema.name} running`]);
    expect(await states(true)).toEqual([]);
  });

  it('are dropped on request once their mark has run out', async () => {
    const name = 'plexus_check_0123abcd';
    await cluster.rows(`CREATE SCHEMA ${name}`);
    await cluster.rows(`CREATE TABLE ${name}.lease (name text PRIMARY KEY, node text, until timestamptz)`);
    const unmarked = await states(true);
    await cluster.rows(`INSERT INTO ${name}.lease VALUES ('store check', 'x', now() + interval '1 second')`);
    const found = await Promise.all([states(false), states(false)]);
    const dropped = await states(true);
    const after = await states(true);

    expect(unmarked).toEqual([`${name} unknown`]);
    expect(found).toEqual([[`${name} left`], [`${name} left`]]);
    expect([dropped, after]).toEqual([[`${name} dropped`], []]);
  });
});
