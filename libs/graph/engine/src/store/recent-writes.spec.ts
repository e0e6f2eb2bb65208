import { describe, expect, it } from '@jest/globals';
import { RecentWrites } from './recent-writes.ts';

const NONE: ReadonlySet<number> = new Set();

function written(...entities: readonly string[]) {
  return () => ({ entities, relationships: [] });
}

describe('the recent writes', () => {
  it('have what was applied and not published when a transaction began', () => {
    const recent = new RecentWrites(7);
    recent.note(8, written('a'));
    recent.open(7);

    expect(recent.since(7, NONE)?.entities).toEqual(new Set(['a']));
  });

  it('are kept for the oldest open transaction, and dropped with it', () => {
    const recent = new RecentWrites(0);
    const first = recent.open(0);
    const second = recent.open(0);
    recent.note(1, written('a'));
    recent.publish(1);
    first.close();

    expect(recent.since(0, NONE)?.entities).toEqual(new Set(['a']));
    second.close();
    expect([recent.since(0, NONE), recent.since(1, NONE)?.entities]).toEqual([undefined, new Set()]);
  });

  it('leave out what a transaction has written itself', () => {
    const recent = new RecentWrites(0);
    recent.open(0);
    recent.note(1, written('own'));
    recent.note(2, written('other'));

    expect(recent.since(0, new Set([1]))?.entities).toEqual(new Set(['other']));
  });

  it('are bounded: what was dropped counts as overtaken', () => {
    const recent = new RecentWrites(0, 3);
    recent.open(0);
    for (const seq of [1, 2, 3]) recent.note(seq, written(`a${String(seq)}`, `b${String(seq)}`));

    expect([recent.since(0, NONE), recent.since(1, NONE)]).toEqual([undefined, undefined]);
    expect(recent.since(2, NONE)?.entities).toEqual(new Set(['a3', 'b3']));
  });

  it('forget batches that the store could not keep', () => {
    const recent = new RecentWrites(0);
    recent.open(0);
    recent.note(1, written('kept'));
    recent.note(2, written('lost'));
    recent.discard(1);

    expect(recent.since(0, NONE)?.entities).toEqual(new Set(['kept']));
  });

  it('are collected only if a transaction begins before their publication', () => {
    const recent = new RecentWrites(0);
    const collected: number[] = [];
    const note = (seq: number): void => {
      recent.note(seq, () => {
        collected.push(seq);
        return { entities: [String(seq)], relationships: [] };
      });
    };
    for (const seq of [1, 2, 3]) note(seq);
    recent.publish(1);
    recent.discard(2);
    recent.open(1);

    expect(collected).toEqual([2]);
    expect([recent.since(0, NONE), recent.since(1, NONE)?.entities]).toEqual([undefined, new Set(['2'])]);
  });
});
