import { describe, expect, it } from '@jest/globals';
import { encodeEntityHead } from '#graph/memory';
import { entityId } from '#graph/model';
import type { BatchWriter } from '#graph/storage';
import { entity, STAMP } from '#graph/testing';
import { ChangePlan } from '../plan/change-plan.ts';
import { PlanEncoder } from './plan-encoder.ts';

const KEYS_AT_ONCE = 1_024;

/** Stores the number of keys of each operation. */
class CountingBatch implements BatchWriter {
  readonly puts: number[] = [];
  readonly keys = new Set<string>();
  deletes = 0;

  put(key: Uint8Array): void {
    this.#add([key]);
  }

  putShared(keys: readonly Uint8Array[]): void {
    this.#add(keys);
  }

  delete(): void {
    this.deletes++;
  }

  #add(keys: readonly Uint8Array[]): void {
    this.puts.push(keys.length);
    for (const key of keys) this.keys.add(Buffer.from(key).toString('hex'));
  }
}

const hostOf = (at: number) => entity('host', 'Host', `h${at}`);

function encoded(plan: ChangePlan): CountingBatch {
  const batch = new CountingBatch();
  for (const pause of new PlanEncoder(0).encode(plan, batch)) expect(pause).toBeUndefined();
  return batch;
}

/** A plan of unchanged entities seen again. */
function seenAgain(
  count: number,
  { owners = ['test'], seenAtMs = STAMP.lastSeenAtMs, from = 0 } = {},
): ChangePlan {
  const plan = new ChangePlan();
  for (let at = from; at < from + count; at++) {
    const input = hostOf(at);
    const id = entityId(input.type, input.key);
    const stamp = { ...STAMP, lastSeenAtMs: seenAtMs };
    plan.entities.set(id, { kind: 'touch', id, node: at, input, stamp, owners, statements: undefined });
  }
  return plan;
}

describe('an unchanged sync', () => {
  it.each([
    [0, []],
    [1, [1]],
    [KEYS_AT_ONCE - 1, [KEYS_AT_ONCE - 1]],
    [KEYS_AT_ONCE, [KEYS_AT_ONCE]],
    [KEYS_AT_ONCE + 1, [KEYS_AT_ONCE, 1]],
    [3 * KEYS_AT_ONCE, [KEYS_AT_ONCE, KEYS_AT_ONCE, KEYS_AT_ONCE]],
  ])('of %i entities has operations with these numbers of keys: %j', (count, operations) => {
    const { puts, keys, deletes } = encoded(seenAgain(count));

    expect(puts).toEqual(operations);
    expect([keys.size, deletes]).toEqual([count, 0]);
  });

  it('has an operation for each set of owners and each time', () => {
    const plan = seenAgain(10);
    for (const other of [
      seenAgain(20, { owners: ['test', 'other'], from: 10 }),
      seenAgain(30, { seenAtMs: STAMP.lastSeenAtMs + 1, from: 30 }),
    ]) {
      for (const [id, change] of other.entities) plan.entities.set(id, change);
    }

    expect(encoded(plan).puts).toEqual([10, 20, 30]);
  });

  it('of entities and relationships has shared operations', () => {
    const plan = seenAgain(2);
    const [from, to] = [hostOf(0), hostOf(1)];
    const facts = { stamp: STAMP, owners: ['test'], statements: undefined };
    plan.relationships.set('r', { kind: 'touch', id: 'r', link: 0, from, verb: 'USES', to, ...facts });

    expect(encoded(plan).puts).toEqual([3]);
  });
});

describe('a change', () => {
  const input = hostOf(1);
  const id = entityId(input.type, input.key);
  const head = encodeEntityHead(id, input);
  const facts = { id, node: 1, input, stamp: STAMP, owners: ['test'] };

  it.each([
    ['new content', { ...facts, kind: 'put', head, statements: undefined }, 1, 0],
    ['new content and statements', { ...facts, kind: 'put', head, statements: '{}' }, 2, 0],
    ['new content without statements', { ...facts, kind: 'put', head, statements: null }, 1, 1],
    [
      'a tombstone, removing the last-seen record',
      { ...facts, kind: 'delete', head, statements: undefined },
      0,
      2,
    ],
    ['the last-seen time and statements', { ...facts, kind: 'touch', statements: '{}' }, 2, 0],
  ] as const)('of a record: %s', (_, change, puts, deletes) => {
    const plan = new ChangePlan();
    plan.entities.set(id, { ...change });

    const batch = encoded(plan);

    expect([batch.puts.length, batch.deletes]).toEqual([puts, deletes]);
  });

  it('of a source’s priority is one operation', () => {
    const plan = new ChangePlan();
    plan.priority = { connectorId: 'test', priority: 7 };

    expect(encoded(plan).puts).toEqual([1]);
  });
});
