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
    expect(Array.from(answers).filter(([, status]) => status !== 400)).toEqual([]);
  });
});
