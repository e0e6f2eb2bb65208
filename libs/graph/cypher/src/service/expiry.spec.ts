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

it('ends each in its time, also one that was added after one that ends later', async () => {
  const expiry = new Expiry();
  const later = expiring(performance.now() + 3_600_000);
  const sooner = expiring(performance.now() + 10);
  let isLaterEnded = false;
  void later.done.then(() => (isLaterEnded = true));
  expiry.add(later);
  expiry.add(sooner);

  await sooner.done;

  expect(performance.now()).toBeGreaterThanOrEqual(sooner.expiresMs);
  expect(isLaterEnded).toBe(false);
});

it('ends one that was added before others, after them', async () => {
  const expiry = new Expiry();
  const first = expiring(performance.now() + 20);
  expiry.add(first);
  expiry.add(expiring(performance.now() + 10));

  await first.done;

  expect(performance.now()).toBeGreaterThanOrEqual(first.expiresMs);
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
