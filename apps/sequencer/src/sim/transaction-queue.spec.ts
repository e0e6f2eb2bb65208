import { describe, expect, it } from '@jest/globals';
import { decodeTransaction, signTransaction } from '#load/chain';
import { NonceFailures } from './nonce-failures.ts';
import { type PendingTransaction, TransactionQueue } from './transaction-queue.ts';

const LIMITS = { places: 2, timeoutMs: 12_000 };

interface Probe extends PendingTransaction {
  readonly name: number;
  isGone: boolean;
  told: string | undefined;
}

function pending(name: number, arrivedMs = 0): Probe {
  const fields = { chainId: 1, nonce: name, maxPriorityFeePerGas: 0n, maxFeePerGas: 1n, gasLimit: 1n };
  const { raw } = signTransaction(
    { ...fields, to: null, value: 0n, data: new Uint8Array(0) },
    Buffer.alloc(32, 1),
  );
  return {
    name,
    transaction: decodeTransaction(raw),
    arrivedMs,
    isGone: false,
    told: undefined,
    isAbandoned() {
      return this.isGone;
    },
    settle(refusal) {
      this.told = refusal?.message ?? 'sequenced';
    },
  };
}

const takeAll = (queue: TransactionQueue, nowMs: number) => {
  const names: number[] = [];
  for (let item = queue.take(nowMs); item !== undefined; item = queue.take(nowMs))
    names.push((item as Probe).name);
  return names;
};

describe('TransactionQueue', () => {
  it('serves in order, returned items first, and skips disconnected senders', () => {
    const queue = new TransactionQueue(LIMITS);
    const template = pending(1);
    const items = Array.from({ length: 10_000 }, (_, name) => ({ ...template, name }));
    for (const item of items) queue.push(item);
    for (const item of items) item.isGone = item.name % 2 === 1;
    const first = queue.take(0);
    if (first !== undefined) queue.putBack(first);

    const taken = takeAll(queue, 0);

    expect(taken).toEqual(items.filter(({ isGone }) => !isGone).map(({ name }) => name));
    expect(queue.length).toBe(0);
  });

  it('rejects a transaction that has waited too long when it is next', () => {
    const queue = new TransactionQueue(LIMITS);
    const [late, timely] = [pending(1, 0), pending(2, 1)];
    queue.push(late);
    queue.push(timely);

    expect(takeAll(queue, 12_000)).toEqual([2]);
    expect([late.told, timely.told]).toEqual(['context deadline exceeded', undefined]);
  });

  it('rejects expired transactions outside of the queue, and returns the next expiry', () => {
    const queue = new TransactionQueue(LIMITS);
    const items = [0, 0, 0, 5, 9].map((arrivedMs, name) => pending(name, arrivedMs));
    for (const item of items) queue.push(item);

    expect(queue.refuseLate(11_999)).toBe(12_000);
    expect(queue.refuseLate(12_005)).toBe(12_009);
    expect(items.map(({ told }) => told)).toEqual([
      undefined,
      undefined,
      'context deadline exceeded',
      'context deadline exceeded',
      undefined,
    ]);
    expect(queue.length).toBe(3);
  });
});

describe('transactions without their predecessor', () => {
  const REFUSAL = { message: 'nonce too high' };

  it('expire in the order of arrival', () => {
    const failures = new NonceFailures({ count: 10, expiryMs: 1_000 });
    const [first, second] = [pending(1, 0), pending(2, 300)];
    failures.add(first, REFUSAL, 0);
    failures.add(second, REFUSAL, 300);

    failures.expire(1_000);

    expect([first.told, second.told, failures.nextExpiryMs]).toEqual(['nonce too high', undefined, 1_300]);
  });

  it('evict the oldest above the limit', () => {
    const failures = new NonceFailures({ count: 2, expiryMs: 1_000 });
    const items = [pending(1), pending(2), pending(3)];

    for (const item of items) failures.add(item, REFUSAL, 0);

    expect(items.map(({ told }) => told)).toEqual(['nonce too high', undefined, undefined]);
  });

  it('are taken by sender and nonce, once', () => {
    const failures = new NonceFailures({ count: 2, expiryMs: 1_000 });
    const item = pending(4);
    failures.add(item, REFUSAL, 0);
    const { sender } = item.transaction;

    expect(failures.take(sender, 3)).toBeUndefined();
    expect(failures.take(sender, 4)).toBe(item);
    expect(failures.take(sender, 4)).toBeUndefined();
  });
});
