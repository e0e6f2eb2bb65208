import { describe, expect, it } from '@jest/globals';
import { parseScenario, type Scenario } from '#load/scenario';
import { DEVELOPMENT_FUNDER_KEY } from '#load/worker';
import { FunderTurns } from './funding.ts';
import { RunClaims } from './run-claims.ts';

const HIVE = { WORDS: 'same', SAME_WORDS: 'same', OTHER_WORDS: 'other' };

function scenarioOf(ids: readonly string[] | undefined, accounts: object = {}): Scenario {
  return parseScenario({
    name: 'claims',
    target: { chain_id: 412_346, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:1' },
    accounts: { count: 10, ...accounts },
    load: { stages: [{ duration: '1s', rate: 1 }] },
    edges: { ids },
  });
}

function errorOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('RunClaims', () => {
  it('gives runs that go on together the lowest accounts that no other one has', () => {
    const claims = new RunClaims(HIVE);
    const firsts = [10, 20, 10].map((count, at) => claims.take(`r-${at}`, scenarioOf([`e${at}`], { count })));
    claims.release('r-1');

    expect(firsts).toEqual([0, 10, 30]);
    expect(claims.take('r-3', scenarioOf(['e3'], { count: 21 }))).toBe(40);
    expect(claims.take('r-4', scenarioOf(['e4'], { count: 20 }))).toBe(10);
    claims.release('r-0');
    expect(claims.take('r-5', scenarioOf(['e5'], { count: 10 }))).toBe(0);
  });

  it('names each taken edge with the run that has it', () => {
    const claims = new RunClaims(HIVE);
    claims.take('r-0', scenarioOf(['a', 'b']));
    claims.take('r-1', scenarioOf(['c']));

    expect(errorOf(() => claims.take('r-2', scenarioOf(['c', 'd', 'a'])))).toMatchObject({
      code: 'RUN_ACTIVE',
      message: expect.stringContaining('c (r-1), a (r-0)'),
      details: {
        run_id: 'r-1',
        taken: [
          { edge_id: 'c', run_id: 'r-1' },
          { edge_id: 'a', run_id: 'r-0' },
        ],
      },
    });
  });

  it.each([
    [undefined, ['a'], 'that one takes every edge'],
    [['a'], undefined, 'this one takes every edge'],
  ])('keeps a run of %j and one of %j apart', (before, ids, message) => {
    const claims = new RunClaims(HIVE);
    claims.take('r-0', scenarioOf(before));

    expect(errorOf(() => claims.take('r-1', scenarioOf(ids)))).toMatchObject({
      code: 'RUN_ACTIVE',
      message: expect.stringContaining(message),
      details: { run_id: 'r-0' },
    });
    claims.release('r-0');
    expect(claims.take('r-1', scenarioOf(ids))).toBe(0);
  });

  it('gives the own accounts of one variable, or of one text, to one run at a time', () => {
    const claims = new RunClaims(HIVE);
    const own = (edge: string, name: string): Scenario => scenarioOf([edge], { mnemonic_env: name });
    claims.take('r-0', own('a', 'WORDS'));

    for (const name of ['WORDS', 'SAME_WORDS'])
      expect(errorOf(() => claims.take('r-1', own('b', name)))).toMatchObject({ details: { run_id: 'r-0' } });
    expect(claims.take('r-1', own('b', 'OTHER_WORDS'))).toBe(0);
    expect(claims.take('r-2', scenarioOf(['c']))).toBe(0);
  });
});

describe('FunderTurns', () => {
  it('lets one run after another pay from a funder, also after a failure, and those without one at once', async () => {
    const turns = new FunderTurns();
    const funder = { key: DEVELOPMENT_FUNDER_KEY, address: '0x1' };
    const story: string[] = [];
    const first = Promise.withResolvers<undefined>();
    const paying = turns.take(funder, async () => {
      story.push('first');
      await first.promise;
      story.push('first is done');
      throw new Error('unfunded');
    });
    const next = turns.take(funder, () => Promise.resolve(story.push('second')));
    await turns.take({ ...funder, address: '0x2' }, () => Promise.resolve(story.push('another funder')));
    await turns.take(undefined, () => Promise.resolve(story.push('no funder')));

    first.resolve(undefined);

    await expect(paying).rejects.toThrow('unfunded');
    await next;
    expect(story).toEqual(['first', 'another funder', 'no funder', 'first is done', 'second']);
  });

  it('holds a funder only while a run pays from it, or waits to', async () => {
    const turns = new FunderTurns();
    const first = Promise.withResolvers<undefined>();
    const takes = ['0x1', '0x1', '0x2'].map((address) =>
      turns.take({ key: DEVELOPMENT_FUNDER_KEY, address }, () => first.promise),
    );
    const failed = turns.take({ key: DEVELOPMENT_FUNDER_KEY, address: '0x3' }, () => {
      return Promise.reject(new Error('unfunded'));
    });
    expect(turns.size).toBe(3);

    await expect(failed).rejects.toThrow('unfunded');
    expect(turns.size).toBe(2);

    first.resolve(undefined);
    await Promise.all(takes);
    expect(turns.size).toBe(0);
  });
});
