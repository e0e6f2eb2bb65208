import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LogSink } from './log-sink.ts';

/** A reader that accepts a given number of bytes. */
class Reader {
  taken = '';
  room = Infinity;
  fault: Error | undefined;
  writes = 0;

  write(bytes: Uint8Array): number {
    this.writes += 1;
    if (this.fault !== undefined) throw this.fault;
    const part = bytes.subarray(0, this.room);
    this.taken += Buffer.from(part).toString();
    this.room -= part.length;
    return part.length;
  }
}

describe('LogSink', () => {
  let reader: Reader;
  let sink: LogSink;
  let told: number[];

  beforeEach(() => {
    jest.useFakeTimers();
    reader = new Reader();
    sink = new LogSink({ output: reader, keptMax: 100 });
    told = [];
    sink.onCaughtUp = (dropped) => told.push(dropped);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('writes a line at the end of the turn, together with the others of the turn', () => {
    sink.write('one\n');
    sink.write('two\n');
    const atOnce = reader.taken;
    jest.advanceTimersByTime(0);

    expect([atOnce, reader.taken, reader.writes]).toEqual(['', 'one\ntwo\n', 1]);
  });

  it('writes a high-volume line within a tenth of a second', () => {
    sink.writeLater('one\n');
    jest.advanceTimersByTime(99);
    const before = reader.taken;
    sink.writeLater('two\n');
    jest.advanceTimersByTime(1);

    expect([before, reader.taken, reader.writes]).toEqual(['', 'one\ntwo\n', 1]);
  });

  it('writes high-volume lines at once when they fill a write', () => {
    sink = new LogSink({ output: reader });
    for (let line = 0; line < 40; line++) sink.writeLater(`${'x'.repeat(999)}\n`);

    expect(reader.taken.length).toBeGreaterThanOrEqual(32_000);
  });

  it('keeps unread lines, and writes each byte once', () => {
    reader.room = 6;
    sink.write('one\n');
    sink.write('two\n');
    jest.advanceTimersByTime(0);
    const before = reader.taken;
    sink.write('three\n');
    reader.room = Infinity;
    jest.advanceTimersByTime(20);

    expect([before, reader.taken]).toEqual(['one\ntw', 'one\ntwo\nthree\n']);
  });

  it('counts the lines of a dropped text, and of one that can never be written', () => {
    sink.writeLater('x'.repeat(101), 7);
    reader.fault = new Error('EPIPE');
    sink.writeLater('one\ntwo\n', 2);
    sink.flush();

    expect([sink.dropped, reader.taken]).toEqual([9, '']);
  });

  it('drops lines above the bound, counts them, and reports them when the reader has caught up', () => {
    reader.room = 0;
    for (let line = 0; line < 15; line++) sink.write('ten bytes\n');
    jest.advanceTimersByTime(1_000);
    const behind = { dropped: sink.dropped, told: [...told] };
    reader.room = Infinity;
    jest.advanceTimersByTime(20);

    expect(behind).toEqual({ dropped: 5, told: [] });
    expect([reader.taken.length, sink.dropped, told]).toEqual([100, 5, [5]]);
  });

  it('counts the lines written without a reader, and continues when one returns', () => {
    reader.fault = new Error('EPIPE');
    sink.write('one\n');
    sink.writeLater('two\n');
    jest.advanceTimersByTime(100);
    sink.write('three\n');
    jest.advanceTimersByTime(100);
    const alone = { dropped: sink.dropped, told: [...told], writes: reader.writes };
    reader.fault = undefined;
    sink.write('four\n');
    jest.advanceTimersByTime(0);

    expect(alone).toEqual({ dropped: 3, told: [], writes: 2 });
    expect([reader.taken, told]).toEqual(['four\n', [3]]);
  });

  it('writes all buffered lines when the process ends', () => {
    sink.writeLater('one\n');
    sink.write('two\n');
    sink.flushSync();

    expect(reader.taken).toBe('one\ntwo\n');
  });

  it('limits the wait for a stalled reader when the process ends', () => {
    reader.room = 0;
    sink.write('one\n');
    sink.flushSync();

    expect([reader.taken, reader.writes]).toEqual(['', 200]);
  });
});
