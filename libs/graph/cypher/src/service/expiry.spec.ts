import { expect, it } from '@jest/globals';
import { Expiry, type Expiring } from './expiry.ts';

interface Awaited extends Expiring {
  readonly done: Promise<unknown>;
}

function expiring(expiresMs: number): Awaited {
  const { promise: done, resolve } = Promise.withResolvers();
  return {
    done,
    expiresMs,
    expire: () => {
      resolve(undefined);
    },
  };
}

it('ends each in its time, also one that was added after those that end later', async () => {
  const expiry = new Expiry();
  const nowMs = performance.now();
  const later = expiring(nowMs + 40);
  const sooner = expiring(nowMs + 10);
  const order: string[] = [];
  expiry.add(later);
  expiry.add(sooner);

  await Promise.all([
    later.done.then(() => order.push('later')),
    sooner.done.then(() => order.push('sooner')),
  ]);

  expect(order).toEqual(['sooner', 'later']);
  expect(performance.now()).toBeGreaterThanOrEqual(later.expiresMs);
});

it('ends what was added while another one ended, and leaves what was deleted', async () => {
  const expiry = new Expiry();
  const nowMs = performance.now();
  let isEnded = false;
  const deleted = { expiresMs: nowMs + 5, expire: () => (isEnded = true) };
  const last = expiring(nowMs + 20);
  const first = {
    expiresMs: nowMs + 5,
    expire: () => {
      expiry.add(last);
    },
  };
  expiry.add(deleted);
  expiry.add(first);
  expiry.delete(deleted);

  await last.done;

  expect(isEnded).toBe(false);
});
