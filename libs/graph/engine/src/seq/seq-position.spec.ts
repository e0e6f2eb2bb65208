import { describe, expect, it } from '@jest/globals';
import { momentOf } from '../history/asked-moment.ts';
import { parseFeedToken } from '../feed/graph-feed.ts';
import { parseSeqToken, SeqWaiters } from './seq-position.ts';

const LONG_MS = 3_600_000;
const CODE = { code: 'NOT_CAUGHT_UP' };

/** A graph that starts at sequence number 5. */
function waitersAt5(): { waiters: SeqWaiters; publish: (seq: number) => void } {
  let published = 5;
  const waiters = new SeqWaiters(() => published);
  const publish = (seq: number): void => {
    published = seq;
    waiters.published(seq);
  };
  return { waiters, publish };
}

describe('tokens', () => {
  it('have an epoch and a number', () => {
    expect(parseSeqToken('8f89c248b7d1466f8f25.7')).toEqual({ epoch: '8f89c248b7d1466f8f25', seq: 7 });
    expect(parseSeqToken('8f89c248b7d1466f8f25-12.7')).toMatchObject({ epoch: '8f89c248b7d1466f8f25-12' });
    expect(momentOf('00000000000000000000.7')).toEqual({ moment: { seq: 7 }, epoch: '00000000000000000000' });
    expect(parseFeedToken('8f89c248b7d1466f8f25.7.1', 'from')).toMatchObject({ seq: 7, index: 1 });
  });

  it('are no decimal numbers, which are no tokens of another history', () => {
    const invalid = expect.objectContaining({ code: 'INVALID_REQUEST' });

    expect(momentOf('1.5')).toBeUndefined();
    expect(() => parseSeqToken('1.5')).toThrow(invalid);
    expect(() => parseFeedToken('1.5', 'from')).toThrow(invalid);
    expect(() => parseFeedToken('1.5.2', 'from')).toThrow(invalid);
  });
});

describe('SeqWaiters', () => {
  it('resolve published numbers at once', async () => {
    const { waiters } = waitersAt5();

    await waiters.reached(5, LONG_MS);

    expect(waiters.size).toBe(0);
  });

  it('resolve in any order when their numbers are published', async () => {
    const { waiters, publish } = waitersAt5();
    const passed: number[] = [];
    const waits = [9, 6, 7].map((seq) => waiters.reached(seq, LONG_MS).then(() => passed.push(seq)));

    publish(6);
    await waits[1];
    const afterFirst = [...passed];
    publish(8);
    await waits[2];
    const afterSecond = [...passed];
    publish(9);
    await Promise.all(waits);

    expect([afterFirst, afterSecond, passed]).toEqual([[6], [6, 7], [6, 7, 9]]);
    expect(waiters.size).toBe(0);
  });

  it('report the requested and the current number on time-out', async () => {
    const { waiters } = waitersAt5();

    const fault: unknown = await waiters.reached(8, 1).catch((error: unknown) => error);

    expect(fault).toMatchObject({ ...CODE, details: { asked: 8, at: 5 } });
    expect(waiters.size).toBe(0);
  });

  it('reject when the client aborts, also before the wait', async () => {
    const { waiters } = waitersAt5();
    const client = new AbortController();
    const waiting = waiters.reached(6, LONG_MS, client.signal);

    client.abort();

    await expect(waiting).rejects.toMatchObject(CODE);
    await expect(waiters.reached(6, LONG_MS, client.signal)).rejects.toMatchObject(CODE);
    expect(waiters.size).toBe(0);
  });

  it('reject one above the maximum at once, and keep the others', async () => {
    const { waiters, publish } = waitersAt5();
    const waits = Array.from({ length: 256 }, () => waiters.reached(6, LONG_MS));

    await expect(waiters.reached(6, LONG_MS)).rejects.toMatchObject(CODE);
    publish(6);
    await Promise.all(waits);
    await waiters.reached(6, LONG_MS);

    expect(waiters.size).toBe(0);
  });

  it('reject when the graph closes', async () => {
    const { waiters } = waitersAt5();
    const waiting = waiters.reached(6, LONG_MS);

    waiters.close();

    await expect(waiting).rejects.toMatchObject(CODE);
  });
});
