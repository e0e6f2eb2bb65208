import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { listenOnce, stopSignal } from './stop-signal.ts';

const listeners = (): number => process.listenerCount('SIGINT');

describe('stopSignal', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.runAllTimers();
    jest.useRealTimers();
  });

  it('resolves with the first signal, and stops listening: the next one ends the process', async () => {
    const before = listeners();
    const stopped = stopSignal();
    expect(listeners()).toBe(before + 1);

    process.emit('SIGTERM', 'SIGTERM');

    expect(await stopped.promise).toBe('SIGTERM');
    expect(listeners()).toBe(before);
  });

  it('ignores a SIGINT right after another, because npm repeats the one of the terminal', async () => {
    const before = listeners();
    const stopped = stopSignal();
    process.emit('SIGINT', 'SIGINT');
    expect(listeners()).toBe(before + 1);
    process.emit('SIGINT', 'SIGINT');

    expect(await stopped.promise).toBe('SIGINT');
    jest.advanceTimersByTime(500);
    expect(listeners()).toBe(before);
  });

  it('rejects after fail', async () => {
    const stopped = stopSignal();
    stopped.fail(new Error('a promise was broken'));

    await expect(stopped.promise).rejects.toThrow('a promise was broken');
    process.emit('SIGTERM', 'SIGTERM');
  });
});

describe('listenOnce', () => {
  it('calls back once, and never after it was cancelled', () => {
    const heard: string[] = [];
    listenOnce(['SIGINT'], (signal) => heard.push(signal));
    const forget = listenOnce(['SIGINT'], () => heard.push('never'));
    forget();

    process.emit('SIGINT', 'SIGINT');
    process.emit('SIGINT', 'SIGINT');

    expect(heard).toEqual(['SIGINT']);
  });
});
