import { describe, expect, it } from '@jest/globals';
import { QueryGate } from './query-gate.ts';

describe('QueryGate', () => {
  it('lets in as many as may run, queues as many as may wait, and refuses the next', async () => {
    const gate = new QueryGate({ runningMax: 2, waitingMax: 1 });
    await gate.enter();
    await gate.enter();
    const waiting = gate.enter();

    expect([gate.running, gate.waiting]).toEqual([2, 1]);
    expect(() => gate.enter()).toThrow('expected at most 3 queries at a time');

    gate.leave();
    await waiting;
    expect([gate.running, gate.waiting]).toEqual([2, 0]);
  });

  it('gives places in the order in which they were asked for', async () => {
    const gate = new QueryGate({ runningMax: 1, waitingMax: 2 });
    const order: number[] = [];
    await gate.enter();
    const first = gate.enter().then(() => order.push(1));
    const second = gate.enter().then(() => order.push(2));

    gate.leave();
    await first;
    gate.leave();
    await second;
    gate.leave();

    expect(order).toEqual([1, 2]);
    expect(gate.running).toBe(0);
  });
});
