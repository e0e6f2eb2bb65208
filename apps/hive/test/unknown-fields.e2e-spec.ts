import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answersToUnknownFields } from '#testing';
import { TestHive } from './support/test-hive.ts';

describe('an unknown field', () => {
  let hive: TestHive;

  beforeAll(async () => {
    hive = await TestHive.start();
  });
  afterAll(() => hive.remove());

  it('is rejected by every route of the hive with a body or a query string', async () => {
    const answers = await answersToUnknownFields(hive.url);

    expect(Array.from(answers.keys())).toEqual(
      expect.arrayContaining(['POST /runs body', 'POST /runs/{run_id}/stop body', 'GET /runs query']),
    );
    // This route returns 200 with the faults; see the next test.
    const refusing = Array.from(answers).filter(([route]) => route !== 'POST /runs/check body');
    expect(refusing.filter(([, status]) => status !== 400)).toEqual([]);
  });

  it('is reported as a fault by /runs/check', async () => {
    const body = { name: 'x', surprise: 1 };

    const { faults } = await hive.json<{ faults: readonly object[] }>(200, 'POST', '/runs/check', body);

    expect(faults).toContainEqual(expect.objectContaining({ line: 3, path: 'surprise' }));
  });
});
