import { describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { hangUpOf } from './hang-up.ts';

function replyOf(raw: { destroyed: boolean; writableFinished: boolean }): Pick<FastifyReply, 'raw'> {
  return { raw } as Pick<FastifyReply, 'raw'>;
}

describe('hangUpOf', () => {
  it('tells of a client that went away before its reply was written', () => {
    const raw = { destroyed: false, writableFinished: false };
    const hangUp = hangUpOf(replyOf(raw));
    const before = hangUp.aborted;

    raw.destroyed = true;

    expect([before, hangUp.aborted]).toEqual([false, true]);
  });

  it('tells nothing of one that went away afterwards', () => {
    expect(hangUpOf(replyOf({ destroyed: true, writableFinished: true })).aborted).toBe(false);
  });

  it('has no accessor of its own, by which V8 would keep each request until a full collection', () => {
    const hangUp = hangUpOf(replyOf({ destroyed: false, writableFinished: false }));

    expect(Object.getOwnPropertyNames(hangUp)).toEqual([]);
  });
});
