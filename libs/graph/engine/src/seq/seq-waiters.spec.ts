import { describe, expect, it } from '@jest/globals';
import { SeqWaiters } from './seq-waiters.ts';

const LONG_MS = 3_600_000;
const CODE = { code: 'NOT_CAUGHT_UP' };

/** A graph that is at 5 to begin with. */
function waitersAt5(): { waiters: SeqWaiters; publish: (seq: number) => void } {
  let published = 5;
  const waiters = new SeqWaiters(() => published);
  const publish = (seq: number): void => {
    published = seq;
    waiters.published(seq);
  };
  return { waiters, publish };
}

describe('SeqWaiters', () => {
  it('let pass at once what is published', async () => {
    const { waiters } = waitersAt5();

    await waiters.reached(5, LONG_MS);

    expect(waiters.size).toBe(0);
  });

  it('let pass each when its number is published, in whatever order they came', async () => {
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

  it('tell what was asked and where the graph is when the time is over', async () => {
    const { waiters } = waitersAt5();

    const fault: unknown = await waiters.reached(8, 1).catch((error: unknown) => error);

    expect(fault).toMatchObject({ ...CODE, details: { asked: 8, at: 5 } });
    expect(waiters.size).toBe(0);
  });

  it('end with their client, and take none that has left', async () => {
    const { waiters } = waitersAt5();
    const client = new AbortController();
    const waiting = waiters.reached(6, LONG_MS, client.signal);

    client.abort();

    await expect(waiting).rejects.toMatchObject(CODE);
    await expect(waiters.reached(6, LONG_MS, client.signal)).rejects.toMatchObject(CODE);
    expect(waiters.size).toBe(0);
  });

  it('are bounded: one more is refused at once, and the others go on', async () => {
    const { waiters, publish } = waitersAt5();
    const waits = Array.from({ length: 256 }, () => waiters.reached(6, LONG_MS));

    await expect(waiters.reached(6, LONG_MS)).rejects.toMatchObject(CODE);
    publish(6);
    await Promise.all(waits);
    await waiters.reached(6, LONG_MS);

    expect(waiters.size).toBe(0);
  });

  it('end when the graph closes', async () => {
    const { waiters } = waitersAt5();
    const waiting = waiters.reached(6, LONG_MS);

    waiters.close();

    await expect(waiting).rejects.toMatchObject(CODE);
  });
});
