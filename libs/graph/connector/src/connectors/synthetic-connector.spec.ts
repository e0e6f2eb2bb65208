import { expect, describe, it } from '@jest/globals';
import { connectorMatchers } from '../kit/matchers.ts';
import { runConnector, type TestRun } from '../kit/run-connector.ts';
import { syntheticConnector } from './synthetic-connector.ts';

describe('the synthetic connector', () => {
  it('creates an estate of the requested size without dangling relationships', async () => {
    const run = await runConnector(syntheticConnector, { config: { hosts: 30, services: 7, users: 3 } });

    expect(connectorMatchers.toHaveCompleted(run)).toMatchObject({ pass: true });
    expect(run.report.entities).toBe(40);
    expect(run.relationships.filter(({ verb }) => verb === 'OWNS')).toHaveLength(30);
  });

  it('is deterministic by seed', async () => {
    const [first, again, other] = await Promise.all(
      [1, 1, 2].map(async (seed) => contentOf(await runConnector(syntheticConnector, { config: { seed } }))),
    );

    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });
});

/** Unordered: steps of a wave run concurrently. */
function contentOf({ entities, relationships }: TestRun): readonly string[] {
  return [...entities, ...relationships].map((each) => JSON.stringify(each)).sort();
}
