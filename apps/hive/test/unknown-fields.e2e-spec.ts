import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answersToUnknownFields } from '#testing';
import { TestHive } from './support/test-hive.ts';

describe('a field that nobody knows', () => {
  let hive: TestHive;

  beforeAll(async () => {
    hive = await TestHive.start();
  });
  afterAll(() => hive.remove());

  it('is refused by every route of the hive that takes a body or a query string', async () => {
    const answers = await answersToUnknownFields(hive.url);

    expect(Array.from(answers.keys())).toEqual(
      expect.arrayContaining(['POST /runs body', 'POST /runs/{run_id}/stop body', 'GET /runs query']),
    );
    // What is wrong with a scenario is what this one answers; see below.
    const refusing = Array.from(answers).filter(([route]) => route !== 'POST /runs/check body');
    expect(refusing.filter(([, status]) => status !== 400)).toEqual([]);
  });

  it('is a fault of a scenario that is checked', async () => {
    const body = { name: 'x', surprise: 1 };

    const { faults } = await hive.json<{ faults: readonly object[] }>(200, 'POST', '/runs/check', body);

    expect(faults).toContainEqual(expect.objectContaining({ line: 3, path: 'surprise' }));
  });
});
