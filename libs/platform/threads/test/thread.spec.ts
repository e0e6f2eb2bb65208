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

describe('a thread', () => {
  const threads: Thread<CountingCalls, CountingEvents>[] = [];
  const start = (options: CountingOptions = {}): Thread<CountingCalls, CountingEvents> => {
    const thread = startCounting(options);
    threads.push(thread);
    return thread;
  };
  afterEach(() => Promise.all(threads.splice(0).map((thread) => thread.terminate())));

  it('answers calls in their order, and tells its events before the answer', async () => {
    const sums: number[] = [];
    const thread = start({ onChanged: (sum) => sums.push(sum) });

    const answers = await Promise.all([1, 2, 3].map((amount) => thread.call('add', [amount])));

    expect(answers).toEqual([11, 13, 16]);
    expect(sums).toEqual([11, 13, 16]);
    expect(thread.openCalls).toBe(0);
  });

  it('does what is sent without an answer, in its place among the calls', async () => {
    const thread = start();

    thread.send('add', 5);

    expect(await thread.call('add', [1])).toBe(16);
  });

  it('moves memory that a result names', async () => {
    expect(await start().call('bytes', [3])).toEqual(new Uint8Array([7, 7, 7]));
  });

  it('gives back an expected failure with its code and details, and goes on', async () => {
    const thread = start();

    await expect(thread.call('refuse', ['too many'])).rejects.toMatchObject({
      name: 'DomainError',
      code: 'PLAN_REFUSED',
      message: 'too many',
      details: { reason: 'too many' },
    });
    expect(await thread.call('add', [1])).toBe(11);
  });

  it('ends at a defect: all open calls and all later ones reject with it, and it is heard once', async () => {
    const broken: Error[] = [];
    const thread = start({ onBroken: (error) => broken.push(error) });
    const open = expect(thread.call('never', [])).rejects.toThrow('a defect');

    await expect(thread.call('break', [])).rejects.toThrow('a defect');
    await open;

    await expect(thread.call('add', [1])).rejects.toThrow('a defect');
    expect(thread.isRunning).toBe(false);
    expect(broken.map(({ message }) => message)).toEqual([expect.stringContaining('a defect')]);
  });

  it('ends at a defect in what was sent without an answer', async () => {
    const broken = Promise.withResolvers<Error>();
    const thread = start({ onBroken: broken.resolve });

    thread.send('break');

    expect((await broken.promise).message).toContain('a defect');
  });

  it('closes in good order after the calls before, and rejects what has no answer then', async () => {
    const thread = start();
    const sum = thread.call('add', [1]);
    const never = expect(thread.call('never', [])).rejects.toThrow('the thread ended with code 0');

    await thread.close();

    expect(await sum).toBe(11);
    await never;
    await expect(thread.call('add', [1])).rejects.toThrow('the thread ended with code 0');
  });

  it('is closed also when its end fails, of which only open calls hear', async () => {
    const broken: Error[] = [];
    const thread = start({ onBroken: (error) => broken.push(error) });
    await thread.call('failAtEnd', []);
    const never = expect(thread.call('never', [])).rejects.toThrow('an end that fails');

    await thread.close();

    await never;
    expect(broken).toEqual([]);
  });

  it('can be closed once more, and after it has ended', async () => {
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

  it('rejects a call whose arguments cannot be copied, and goes on', async () => {
    const thread = start();
    const unclonable = (() => undefined) as unknown;

    await expect(thread.call('add', [unclonable as number])).rejects.toThrow('could not be cloned');

    expect(thread.openCalls).toBe(0);
    expect(await thread.call('add', [1])).toBe(11);
  });

  it('is not ended half-way through what would take the process along', async () => {
    const ends = await Promise.all(
      effort([60, 0, 0, 0, 0, 0], [15, 0]).map((count) => endOfProgram('packing-process.ts', String(count))),
    );

    expect(ends).toEqual(ends.map(() => [0, null]));
  });

  it('is not ended while its modules run, which would take the process along', async () => {
    expect(await endOfProgram('loading-process.ts')).toEqual([0, null]);
  });
});

/** Its exit code, and the signal that ended it. */
async function endOfProgram(file: string, ...args: readonly string[]): Promise<unknown[]> {
  const program = new URL(`./${file}`, import.meta.url).pathname;
  const flags = ['--conditions=plexus-source', '--disable-warning=ExperimentalWarning'];
  return once(spawn(process.execPath, [...flags, program, ...args], { stdio: 'ignore' }), 'exit');
}
