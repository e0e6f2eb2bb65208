import { afterEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Thread } from '#platform/threads';
import { effort } from '#testing';
import {
  type CountingCalls,
  type CountingEvents,
  type CountingOptions,
  startCounting,
} from './counting-thread.ts';

describe('Thread', () => {
  const threads: Thread<CountingCalls, CountingEvents>[] = [];
  const start = (options: CountingOptions = {}): Thread<CountingCalls, CountingEvents> => {
    const thread = startCounting(options);
    threads.push(thread);
    return thread;
  };
  afterEach(() => Promise.all(threads.splice(0).map((thread) => thread.terminate())));

  it('answers calls in order, and delivers events before the answer', async () => {
    const sums: number[] = [];
    const thread = start({ onChanged: (sum) => sums.push(sum) });

    const answers = await Promise.all([1, 2, 3].map((amount) => thread.call('add', [amount])));

    expect(answers).toEqual([11, 13, 16]);
    expect(sums).toEqual([11, 13, 16]);
    expect(thread.openCalls).toBe(0);
  });

  it('runs sent calls in order with the others', async () => {
    const thread = start();

    thread.send('add', 5);

    expect(await thread.call('add', [1])).toBe(16);
  });

  it('transfers the memory of a moved result', async () => {
    expect(await start().call('bytes', [3])).toEqual(new Uint8Array([7, 7, 7]));
  });

  it('rejects a call with its expected failure, code and details, and continues', async () => {
    const thread = start();

    await expect(thread.call('refuse', ['too many'])).rejects.toMatchObject({
      name: 'DomainError',
      code: 'PLAN_REFUSED',
      message: 'too many',
      details: { reason: 'too many' },
    });
    expect(await thread.call('add', [1])).toBe(11);
  });

  it('ends at a defect: all open and later calls reject with it, and it is reported once', async () => {
    const broken: Error[] = [];
    const thread = start({ onBroken: (error) => broken.push(error) });
    const open = expect(thread.call('never', [])).rejects.toThrow('a defect');

    await expect(thread.call('break', [])).rejects.toThrow('a defect');
    await open;

    await expect(thread.call('add', [1])).rejects.toThrow('a defect');
    expect(thread.isRunning).toBe(false);
    expect(broken.map(({ message }) => message)).toEqual([expect.stringContaining('a defect')]);
  });

  it('ends at a defect in a sent call', async () => {
    const broken = Promise.withResolvers<Error>();
    const thread = start({ onBroken: broken.resolve });

    thread.send('break');

    expect((await broken.promise).message).toContain('a defect');
  });

  it('closes after the calls made so far, and rejects those without an answer', async () => {
    const thread = start();
    const sum = thread.call('add', [1]);
    const never = expect(thread.call('never', [])).rejects.toThrow('the thread ended with code 0');

    await thread.close();

    expect(await sum).toBe(11);
    await never;
    await expect(thread.call('add', [1])).rejects.toThrow('the thread ended with code 0');
  });

  it('closes when its close handler fails, which only open calls report', async () => {
    const broken: Error[] = [];
    const thread = start({ onBroken: (error) => broken.push(error) });
    await thread.call('failAtEnd', []);
    const never = expect(thread.call('never', [])).rejects.toThrow('an end that fails');

    await thread.close();

    await never;
    expect(broken).toEqual([]);
  });

  it('can be closed twice, and after it has ended', async () => {
    const thread = start();

    await Promise.all([thread.close(), thread.close()]);
    await thread.close();

    expect(thread.isRunning).toBe(false);
  });

  it('is terminated when it does not close', async () => {
    const thread = start({ endMsMax: 1 });
    await thread.call('add', [1]);
    const spinning = expect(thread.call('spin', [])).rejects.toThrow('the thread ended with code 1');

    await thread.close();

    await spinning;
  });

  it('rejects a call whose arguments cannot be copied, and continues', async () => {
    const thread = start();
    const unclonable = (() => undefined) as unknown;

    await expect(thread.call('add', [unclonable as number])).rejects.toThrow('could not be cloned');

    expect(thread.openCalls).toBe(0);
    expect(await thread.call('add', [1])).toBe(11);
  });

  it('is not terminated within an uninterrupted section, which would abort the process', async () => {
    const ends = await Promise.all(
      effort([60, 0, 0, 0, 0, 0], [15, 0]).map((count) => endOfProgram('packing-process.ts', String(count))),
    );

    expect(ends).toEqual(ends.map(() => [0, null]));
  });

  it('is not terminated while its modules load, which would abort the process', async () => {
    expect(await endOfProgram('loading-process.ts')).toEqual([0, null]);
  });
});

/** Exit code and signal of the program. */
async function endOfProgram(file: string, ...args: readonly string[]): Promise<unknown[]> {
  const program = new URL(`./${file}`, import.meta.url).pathname;
  const flags = ['--conditions=plexus-source', '--disable-warning=ExperimentalWarning'];
  return once(spawn(process.execPath, [...flags, program, ...args], { stdio: 'ignore' }), 'exit');
}
