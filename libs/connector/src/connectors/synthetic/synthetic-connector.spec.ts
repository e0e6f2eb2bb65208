import { expect, describe, it } from '@jest/globals';
import { connectorMatchers } from '../../kit/matchers.ts';
import { runConnector } from '../../kit/run-connector.ts';
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
      [1, 1, 2].map((seed) => runConnector(syntheticConnector, { config: { seed } })),
    );

    expect(again).toEqual({ ...first, report: expect.anything() });
    expect(other?.entities).not.toEqual(first?.entities);
  });
});
