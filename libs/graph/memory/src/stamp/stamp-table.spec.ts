import { describe, expect, it } from '@jest/globals';
import { StampTable } from './stamp-table.ts';
import type { Stamp } from './version.ts';

const COUNT = 5_000;

/** The stamp of one of many batches, a few milliseconds apart. */
function stampOf(batch: number): Stamp {
  const atMs = 1_700_000_000_000 + batch * 7;
  const times = { syncedAtMs: atMs, createdAtMs: atMs, updatedAtMs: atMs, lastSeenAtMs: atMs };
  return { connectorId: 'scanner', syncId: 'first', ...times, deletedAtMs: null, version: 1 };
}

describe('StampTable', () => {
  it('assigns one number to equal stamps with any number of others in between', () => {
    const table = new StampTable();
    for (let batch = 0; batch < COUNT; batch++) table.intern(stampOf(batch));

    for (let batch = COUNT - 1; batch >= 0; batch--) expect(table.intern(stampOf(batch))).toBe(batch);

    expect(table.length).toBe(COUNT);
  });

  it('distinguishes stamps that differ in one field', () => {
    const table = new StampTable();
    const stamp = stampOf(0);
    const stamps = [
      stamp,
      { ...stamp, connectorId: 'other' },
      { ...stamp, syncId: 'second' },
      { ...stamp, syncedAtMs: 1 },
      { ...stamp, createdAtMs: 1 },
      { ...stamp, updatedAtMs: 1 },
      { ...stamp, lastSeenAtMs: 1 },
      { ...stamp, deletedAtMs: 1 },
      { ...stamp, version: 2 },
    ];

    const numbers = stamps.map((each) => table.intern(each));

    expect(new Set(numbers).size).toBe(stamps.length);
    expect(numbers.map((number) => table.get(number))).toEqual(stamps);
  });
});
