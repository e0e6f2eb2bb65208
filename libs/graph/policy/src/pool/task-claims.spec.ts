import { describe, expect, it } from '@jest/globals';
import { TaskClaims } from './task-claims.ts';

describe('claims of tasks', () => {
  it('assign each task to one thread, and return the tasks of a thread, over shared memory', () => {
    const claims = TaskClaims.of(3);
    const elsewhere = new TaskClaims(claims.buffer);

    const taken = [claims.claim(0), elsewhere.claim(1), claims.claim(0), elsewhere.claim(1)];

    expect(taken).toEqual([0, 1, 2, undefined]);
    expect([claims.claimedBy(0), claims.claimedBy(1), claims.claimedBy(2)]).toEqual([[0, 2], [1], []]);
  });

  it('have a next task until the last is claimed', () => {
    const claims = TaskClaims.of(1);

    const before = claims.hasNext;
    claims.claim(0);

    expect([before, claims.hasNext, TaskClaims.of(0).hasNext]).toEqual([true, false, false]);
  });
});
