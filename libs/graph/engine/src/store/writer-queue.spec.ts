import { describe, expect, it } from '@jest/globals';
import { WriterQueue } from './writer-queue.ts';

/** Far more steps than fit in a slice. */
const STEPS_MAX = 10_000_000;

/** Works until `isOver`; returns false if that never happens. */
function* workUntil(isOver: () => boolean): Generator<undefined, boolean> {
  for (let step = 0; step < STEPS_MAX; step++) {
    if (isOver()) return true;
    yield;
  }
  return false;
}

describe('WriterQueue', () => {
  it('lets the event loop turn during long work, and holds the state read by the work', async () => {
    const held: string[] = [];
    const queue = new WriterQueue(() => {
      held.push('held');
      return () => void held.push('released');
    });
    let hasTurned = false;
    setImmediate(() => {
      hasTurned = true;
    });

    const saw = await queue.run(() => workUntil(() => hasTurned));

    expect(saw).toBe(true);
    expect(held).toEqual(['held', 'released']);
  });

  it('does small work in the caller’s turn, without a hold', () => {
    let done = 0;
    const queue = new WriterQueue(() => {
      throw new Error('held');
    });
    const once = function* (): Generator<undefined, void> {
      yield;
      done++;
    };

    void queue.run(once);

    expect(done).toBe(1);
  });

  it('runs many writers one at a time, in order, even if one of them throws', async () => {
    const queue = new WriterQueue(() => () => undefined);
    const order: string[] = [];
    const work = (name: string) =>
      function* (): Generator<undefined, void> {
        order.push(`${name} begins`);
        yield;
        if (name === '1') throw new Error('refused');
        order.push(`${name} ends`);
      };

    const names = Array.from({ length: 600 }, (_, at) => String(at));
    const results = await Promise.allSettled(names.map((name) => queue.run(work(name))));

    expect(results.map(({ status }) => status === 'rejected')).toEqual(names.map((name) => name === '1'));
    expect(order).toEqual(
      names.flatMap((name) => [`${name} begins`, ...(name === '1' ? [] : [`${name} ends`])]),
    );
  });

  /** A gate that notes what happens. */
  const gateOf = (order: string[]) => ({
    patienceMs: 60_000,
    late: () => new Error('late'),
    admit: async () => void order.push('admitted'),
    enter: () => Promise.resolve(true),
    leave: () => void order.push('left'),
  });
  const noted = (order: string[]) =>
    function* (): Generator<undefined, void> {
      order.push('written');
      yield;
    };

  it('passes the gate after all work that runs alone, so that no other process waits for that', async () => {
    const order: string[] = [];
    const queue = new WriterQueue(() => () => undefined, gateOf(order));
    const ends = [1, 2, 3].map(() => Promise.withResolvers<undefined>());
    const alone = ends.map(({ promise }, at) =>
      queue.alone(async () => {
        await promise;
        order.push(`alone ${String(at)}`);
      }),
    );
    const written = queue.run(noted(order));
    for (const end of ends) {
      await new Promise(setImmediate);
      end.resolve(undefined);
    }
    await Promise.all([...alone, written]);

    const done = order.filter((each) => each !== 'left');
    expect(done).toEqual(['alone 0', 'alone 1', 'alone 2', 'admitted', 'written']);
  });

  it('ends the turn before work that runs alone', async () => {
    const order: string[] = [];
    const queue = new WriterQueue(() => () => undefined, gateOf(order));
    const written = queue.run(noted(order));
    const alone = queue.alone(async () => void order.push('alone'));
    await Promise.all([written, alone]);

    expect(order.slice(0, order.indexOf('alone'))).toContain('left');
  });

  it('runs work once for all calls before it begins, and again for a later one', async () => {
    const queue = new WriterQueue(() => () => undefined);
    const end = Promise.withResolvers<undefined>();
    let runs = 0;
    const work = async (): Promise<void> => {
      runs++;
      await end.promise;
    };
    const calls = [queue.aloneOnce('a', work), queue.aloneOnce('a', work)];
    await new Promise(setImmediate);
    const before = runs;
    calls.push(...[1, 2, 3].map(() => queue.aloneOnce('a', work)));
    calls.push(queue.aloneOnce('b', work));
    end.resolve(undefined);
    await Promise.all(calls);

    expect([before, runs]).toEqual([1, 3]);
  });

  it('runs work again that has failed for all calls', async () => {
    const queue = new WriterQueue(() => () => undefined);
    const fail = (): Promise<void> => Promise.reject(new Error('away'));
    const failed = await Promise.allSettled([queue.aloneOnce('a', fail), queue.aloneOnce('a', fail)]);
    await queue.aloneOnce('a', () => Promise.resolve());

    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
