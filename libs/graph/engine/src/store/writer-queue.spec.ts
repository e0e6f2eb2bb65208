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

  it('passes the gate after work that runs alone, so that no other process waits for that', async () => {
    const order: string[] = [];
    const gate = {
      patienceMs: 60_000,
      late: () => new Error('late'),
      admit: async () => void order.push('admitted'),
      enter: () => Promise.resolve(true),
      leave: () => void order.push('left'),
    };
    const queue = new WriterQueue(() => () => undefined, gate);
    const end = Promise.withResolvers<undefined>();
    const alone = queue.alone(async () => {
      await end.promise;
      order.push('alone');
    });
    const written = queue.run(function* () {
      order.push('written');
      yield;
    });
    await new Promise(setImmediate);
    end.resolve(undefined);
    await Promise.all([alone, written]);

    expect(order.filter((each) => each !== 'left')).toEqual(['alone', 'admitted', 'written']);
  });
});
