import { describe, expect, it } from '@jest/globals';
import type { RowOf } from '../table/table-batch.ts';
import { decodeTables } from '../wire/decode-tables.ts';
import { EventBuffer } from './event-buffer.ts';

const HASH = new Uint8Array(32).fill(3);

function error(at_us: number, message = 'nonce too low'): RowOf<'errors'> {
  return {
    at_us,
    class: 'nonce_too_low',
    expected: false,
    code: -32000,
    message,
    count: 1,
    sample_hash: HASH,
  };
}

function interval(at_us: number): RowOf<'intervals'> {
  return {
    at_us,
    interval_ms: 1000,
    stage: 0,
    planned: 1,
    sent: 1,
    not_sent: 0,
    acked: 1,
    included: 1,
    rejected: 0,
    unknown: 0,
    in_flight: 0,
    feed_messages: 4,
    correlation_misses: 0,
    events_dropped: 0,
    loop_delay_p99_us: 900,
    cpu_ms: 12,
    send_delay: Uint8Array.of(1, 2),
    send_ack: null,
    send_feed: null,
    intended_feed: null,
    send_block: null,
    intended_block: null,
  };
}

/** Empties the buffer; returns the times of the errors in each batch. */
function drain(buffer: EventBuffer): number[][] {
  const batches: number[][] = [];
  for (let batch = buffer.takeBatch(); batch !== undefined; batch = buffer.takeBatch()) {
    const tables = decodeTables(batch.bytes);
    expect(batch.eventCount).toBe(tables.reduce((sum, { rowCount }) => sum + rowCount, 0));
    batches.push(
      tables.flatMap((table) => (table.table === 'errors' ? [...table.columns.at_us.values] : [])),
    );
  }
  return batches;
}

describe('EventBuffer', () => {
  it('returns full batches, then the rest, in the order of recording', () => {
    const buffer = new EventBuffer({ batchEvents: 3 });

    for (let at = 0; at < 7; at++) buffer.record('errors', error(at));

    expect(buffer.hasFullBatch).toBe(true);
    expect(drain(buffer)).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
    expect(buffer.eventCount).toBe(0);
    expect(buffer.takeBatch()).toBeUndefined();
  });

  it('drops the newest event when it is full, and counts it by table', () => {
    const buffer = new EventBuffer({ bufferEvents: 4, batchEvents: 2 });

    const recorded = [0, 1, 2, 3, 4, 5].map((at) => buffer.record('errors', error(at)));

    expect(recorded).toEqual([true, true, true, true, false, false]);
    expect(buffer.dropped).toMatchObject({ errors: 2, transactions: 0, feed: 0 });
    expect(buffer.room).toBe(0);
    expect(drain(buffer)).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  it('accepts as many new events as were taken', () => {
    const buffer = new EventBuffer({ bufferEvents: 4, batchEvents: 2 });
    for (let at = 0; at < 5; at++) buffer.record('errors', error(at));

    buffer.takeBatch();

    expect(buffer.room).toBe(2);
    expect(buffer.record('errors', error(9))).toBe(true);
    expect(drain(buffer)).toEqual([[2, 3], [9]]);
  });

  it('keeps intervals when it is full of detail rows', () => {
    const buffer = new EventBuffer({ bufferEvents: 1, batchEvents: 1 });
    buffer.record('errors', error(1));
    expect(buffer.record('errors', error(2))).toBe(false);

    for (let at = 0; at < 100; at++) expect(buffer.record('intervals', interval(at))).toBe(true);

    drain(buffer);
    expect(buffer.dropped).toMatchObject({ errors: 1, intervals: 0 });
  });

  it('frees the room of taken detail rows and intervals', () => {
    const buffer = new EventBuffer({ bufferEvents: 6, batchEvents: 6 });
    const record = () => [
      ...Array.from({ length: 4_096 }, (_, at) => buffer.record('intervals', interval(at))),
      ...Array.from({ length: 5 }, (_, at) => buffer.record('errors', error(at))),
    ];

    for (let round = 0; round < 3; round++) {
      expect(record()).not.toContain(false);
      expect([buffer.eventCount, buffer.room]).toEqual([4_101, 1]);
      expect(buffer.takeBatch()?.eventCount).toBe(4_101);
      expect([buffer.eventCount, buffer.room]).toEqual([0, 6]);
    }
    expect(buffer.dropped).toMatchObject({ errors: 0, intervals: 0 });
  });

  it('drops and counts intervals beyond hours of untaken ones', () => {
    const buffer = new EventBuffer();

    for (let at = 0; at < 4_100; at++) buffer.record('intervals', interval(at));

    expect(buffer.dropped.intervals).toBe(4);
    expect(buffer.takeBatch()?.eventCount).toBe(4_096);
  });

  it('closes a batch early when its texts are long in total', () => {
    const buffer = new EventBuffer();

    for (let at = 0; at < 40; at++) buffer.record('errors', error(at, `${at}`.repeat(50_000)));

    expect(buffer.hasFullBatch).toBe(true);
    expect(drain(buffer).flat()).toHaveLength(40);
  });

  it('keeps no reference to the recorded row', () => {
    const buffer = new EventBuffer();
    const hash = new Uint8Array(32).fill(1);
    buffer.record('errors', { ...error(1), sample_hash: hash });

    hash.fill(9);

    const [table] = decodeTables(buffer.takeBatch()?.bytes ?? new Uint8Array());
    expect(table?.table === 'errors' && table.columns.sample_hash.bytes[0]).toBe(1);
  });

  it.each([
    ['a fraction', { at_us: 0.5 }],
    ['a number beyond its range', { code: 2 ** 31 }],
    ['a hash of another length', { sample_hash: new Uint8Array(31) }],
  ])('takes %s for a broken promise', (_, change) => {
    const buffer = new EventBuffer();

    expect(() => buffer.record('errors', { ...error(1), ...change })).toThrow('expected a value of');
  });

  it('cuts a text that exceeds the limit of a value', () => {
    const buffer = new EventBuffer();
    const text = `what failed ${'\u20ac'.repeat(2 ** 20)}`;
    buffer.record('errors', error(1, text));

    const [table] = decodeTables(buffer.takeBatch()?.bytes ?? new Uint8Array());

    const message = table?.table === 'errors' ? (table.columns.message.texts[0] ?? '') : '';
    expect(message.endsWith('€…')).toBe(true);
    expect(text.startsWith(message.slice(0, -1))).toBe(true);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(2 ** 20);
  });
});
