import { expect, describe, it } from '@jest/globals';
import { connectorMatchers } from '../kit/matchers.ts';
import { runConnector, type TestRun } from '../kit/run-connector.ts';
import { syntheticConnector } from './synthetic-connector.ts';

describe('the synthetic connector', () => {
  it('makes an estate of the size that was asked for, without loose ends', async () => {
    const run = await runConnector(syntheticConnector, { config: { hosts: 30, services: 7, users: 3 } });

    expect(connectorMatchers.toHaveCompleted(run)).toMatchObject({ pass: true });
    expect(run.report.entities).toBe(40);
    expect(run.relationships.filter(({ verb }) => verb === 'OWNS')).toHaveLength(30);
  });

  it('gives the same for the same seed, and another for another', async () => {
    const [first, again, other] = await Promise.all(
      [1, 1, 2].map(async (seed) => contentOf(await runConnector(syntheticConnector, { config: { seed } }))),
    );

    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });
});

/** In no order of their own: steps of a wave run side by side. */
function contentOf({ entities, relationships }: TestRun): readonly string[] {
  return [...entities, ...relationships].map((each) => JSON.stringify(each)).sort();
}
