import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DescriptorBudget } from './descriptor-budget.ts';

/** A simulated process and its clock. */
class Process {
  nowMs = 0;
  open = 20;
  max = 100;
  looks = 0;
  readonly budget = new DescriptorBudget({
    look: () => {
      this.looks += 1;
      return { open: this.open, max: this.max };
    },
    clock: { nowMs: () => this.nowMs, monotonicMs: () => this.nowMs },
  });

  /** A client connects. */
  accept(): boolean {
    const isTaken = this.budget.take();
    if (isTaken) this.open += 1;
    return isTaken;
  }
}

describe('DescriptorBudget', () => {
  it('accepts clients until a tenth of all descriptors is left, and then none', () => {
    const process = new Process();
    const taken = Array.from({ length: 200 }, () => process.accept()).filter(Boolean).length;

    expect([taken, process.open]).toEqual([70, 90]);
  });

  it('accepts clients again when descriptors are released', () => {
    const process = new Process();
    while (process.accept());
    process.open -= 3;
    process.nowMs += 10;

    expect(Array.from({ length: 5 }, () => process.accept())).toEqual([true, true, true, false, false]);
  });

  it('checks rarely while many are free', () => {
    const process = new Process();
    process.max = 100_000;
    for (let client = 0; client < 10_000; client++) process.accept();

    expect(process.looks).toBe(1);
  });

  it('does not check at each rejected client', () => {
    const process = new Process();
    process.open = 100;
    for (let client = 0; client < 10_000; client++) process.accept();

    expect(process.looks).toBe(1);
  });

  it('never gives clients the reserve, whatever else is opened', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ others: fc.nat({ max: 1 }), ms: fc.nat({ max: 50 }) }), {
          maxLength: 300,
        }),
        (steps) => {
          const process = new Process();
          for (const { others, ms } of steps) {
            process.nowMs += ms;
            // Each client may need a connection to an endpoint.
            if (process.accept()) process.open += others;
            expect(process.open).toBeLessThanOrEqual(process.max - 9);
          }
        },
      ),
    );
  });

  it('accepts all clients when the system reports no limit', () => {
    const budget = new DescriptorBudget({ look: () => undefined });

    expect(Array.from({ length: 1_000 }, () => budget.take()).every(Boolean)).toBe(true);
  });
});
