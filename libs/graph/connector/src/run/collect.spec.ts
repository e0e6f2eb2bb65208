import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { TurnedClock } from '../../test/turned-clock.ts';
import { runSteps } from '../kit/run-connector.ts';
import type { Step, StepContext } from './step.ts';

const HOST = { type: 'host', key: 'a' };

/** A step that emits one host. */
function hostStep(id: string, key: string, more: Partial<Step> = {}): Step {
  return {
    id,
    emits: { entities: ['host'] },
    run: (context) => context.emitEntity({ type: 'host', key }),
    ...more,
  };
}

function failing(id: string, more: Partial<Step> = {}): Step {
  return {
    id,
    run: () => {
      throw new Error('the listing broke off');
    },
    ...more,
  };
}

function failure(message: string): never {
  throw new Error(message);
}

describe('collect', () => {
  it('gives a step the emits of earlier waves', async () => {
    const reader: Step = {
      id: 'links',
      dependsOn: ['hosts'],
      emits: { relationships: ['KNOWS'] },
      run(context) {
        for (const host of context.entities('host'))
          context.emitRelationship({ from: host, verb: 'KNOWS', to: host });
      },
    };

    const { relationships, report } = await runSteps([reader, hostStep('hosts', 'a')]);

    expect(relationships).toMatchObject([{ from: HOST, verb: 'KNOWS', to: HOST }]);
    expect(report).toMatchObject({ status: 'complete', entities: 1, relationships: 1, partial_types: [] });
    expect(report.steps.map(({ id, wave, status }) => [id, wave, status])).toEqual(
      [
        ['links', 2, 'done'],
        ['hosts', 1, 'done'],
      ].sort(),
    );
  });

  it('reports a run as partial if a step reports an incomplete type', async () => {
    const { entities, report } = await runSteps([
      hostStep('hosts', 'a', {
        emits: { entities: ['host'], relationships: ['OWNS'] },
        run: (context) => {
          context.emitEntity(HOST);
          context.incomplete(['OWNS'], '3 owners could not be resolved');
        },
      }),
    ]);

    expect(entities).toMatchObject([HOST]);
    expect(report).toMatchObject({
      status: 'partial',
      partial_types: ['OWNS'],
      steps: [{ status: 'done' }],
      warnings: ['hosts: 3 owners could not be resolved'],
    });
  });

  describe('of loose references', () => {
    const loose = { owner: HOST, end: 'from', verb: 'OWNS', reason: 'no such owner' } as const;
    const referring = (run: Step['run'], more: Partial<Step> = {}): Step =>
      hostStep('hosts', 'a', { emits: { entities: ['host'], relationships: ['OWNS'] }, run, ...more });

    it('counts unresolved ones, is partial, and protects each owner once', async () => {
      const step = referring((context) => {
        context.unresolved(loose);
        context.unresolved({ ...loose, verb: 'OWNS', reason: 'no such owner either' });
        context.unresolved({ ...loose, end: 'to' });
      });

      const { partialRelationships, report } = await runSteps([step]);

      expect(partialRelationships).toEqual([
        { verb: 'OWNS', end: 'from', ...HOST },
        { verb: 'OWNS', end: 'to', ...HOST },
      ]);
      expect(report).toMatchObject({
        status: 'partial',
        partial_types: [],
        unresolved_count: 3,
        external_count: 0,
        warnings: ['hosts: no such owner', 'hosts: no such owner either', 'hosts: no such owner'],
      });
    });

    it('counts external ones, protects nothing, and is complete', async () => {
      const step = referring((context) => {
        for (let n = 0; n < 12; n++) context.external({ ...loose, reason: `elsewhere ${n}` });
      });

      const { partialRelationships, report } = await runSteps([step]);

      expect(partialRelationships).toEqual([]);
      expect(report).toMatchObject({ status: 'complete', unresolved_count: 0, external_count: 12 });
      expect(report.warnings).toHaveLength(10);
    });

    it('does not count those of a failed attempt', async () => {
      let attempts = 0;
      const step = referring(
        (context) => {
          context.ignored('remark');
          if (attempts++ > 0) return;
          context.unresolved(loose);
          context.external(loose);
          throw new Error('broken connection');
        },
        { retries: 1 },
      );
      const clock = new TurnedClock();

      const running = runSteps([step], { clock });
      await clock.turn(1_000);
      const { report } = await running;

      expect(report).toMatchObject({
        status: 'complete',
        unresolved_count: 0,
        external_count: 0,
        ignored: { remark: 1 },
      });
    });

    it.each([
      ['an undeclared verb', { verb: 'LIKES' }, 'emits LIKES without declaring it'],
      ['an unknown end', { end: 'both' as 'to' }, 'end: expected from or to'],
      ['an owner without a key', { owner: { type: 'host', key: '' } }, 'owner.key: expected at least 1 byte'],
    ])('rejects %s', async (_what, more, reason) => {
      const step = referring((context) => context.unresolved({ ...loose, ...more }));

      const { report } = await runSteps([step]);

      expect(report.steps[0]?.reason).toContain(reason);
    });
  });

  it('counts what steps do not read by kind, the most frequent first', async () => {
    const step = hostStep('hosts', 'a', {
      run: (context) => {
        context.ignored('photo');
        context.ignored('remark', 2);
        context.ignored('badge', 0);
        for (let n = 0; n < 200; n++) context.ignored(`kind ${n}`);
      },
    });

    const { report } = await runSteps([step, hostStep('more', 'b', { run: (c) => c.ignored('photo', 4) })]);

    expect(Object.entries(report.ignored).slice(0, 3)).toEqual([
      ['other kinds', 102],
      ['photo', 5],
      ['remark', 2],
    ]);
    expect(report).toMatchObject({ status: 'complete', warning_count: 0 });
  });

  it('reports the types of steps that depend on an incomplete one as partial', async () => {
    const { report } = await runSteps([
      hostStep('hosts', 'a', {
        run: (context) => {
          context.emitEntity(HOST);
          context.incomplete(['host'], 'page 2 is missing');
        },
      }),
      hostStep('disks', '', {
        dependsOn: ['hosts'],
        emits: { entities: ['disk'], relationships: ['HAS'] },
        run: () => undefined,
      }),
      hostStep('mounts', '', { dependsOn: ['disks'], emits: { entities: ['mount'] }, run: () => undefined }),
      hostStep('users', '', { emits: { entities: ['user'] }, run: () => undefined }),
    ]);

    expect(report).toMatchObject({
      status: 'partial',
      partial_types: ['host', 'disk', 'HAS', 'mount'],
    });
  });

  it('fails a run if a step of unknown types depends on an incomplete one', async () => {
    const { report } = await runSteps([
      hostStep('hosts', 'a', { run: (context) => context.incomplete(['host'], 'page 2 is missing') }),
      hostStep('all', '', { dependsOn: ['hosts'], emits: { entities: ['*'] }, run: () => undefined }),
    ]);

    expect(report.status).toBe('failed');
  });

  it.each([
    ['no message', Object.assign(new Error('x'), { message: undefined })],
    ['no text', Object.create(null)],
    ['a text that throws', { toString: () => failure('unreadable') }],
  ])('fails only the step that throws an error with %s', async (_what, thrown: unknown) => {
    const { report } = await runSteps([
      failing('odd', {
        run: () => {
          throw thrown;
        },
      }),
      hostStep('hosts', 'a'),
    ]);

    expect(report.steps).toMatchObject([
      { id: 'odd', status: 'failed', reason: 'failed without a readable reason' },
      { id: 'hosts', status: 'done' },
    ]);
  });

  it('fails a step that throws a promise, which is not awaited', async () => {
    const { report } = await runSteps([
      failing('odd', {
        run: () => {
          throw Object.assign(new Error('not yet'), { then: () => undefined });
        },
      }),
      hostStep('hosts', 'a'),
    ]);

    expect(report.steps).toMatchObject([
      { id: 'odd', status: 'failed', reason: 'not yet' },
      { id: 'hosts', status: 'done' },
    ]);
  });

  it('rejects an incomplete type that the step does not declare', async () => {
    const { report } = await runSteps([
      hostStep('hosts', 'a', { run: (context) => context.incomplete(['user'], 'half of them') }),
    ]);

    expect(report).toMatchObject({ status: 'failed', steps: [{ reason: expect.stringContaining('user') }] });
  });

  it('keeps a bigint exactly, as text beyond the exact range of numbers', async () => {
    const { entities } = await runSteps([
      hostStep('hosts', 'a', {
        run: (context) =>
          context.emitEntity({ ...HOST, properties: { small: 5n, large: 9_007_199_254_740_993n } }),
      }),
    ]);

    expect(entities).toMatchObject([{ properties: { small: 5, large: '9007199254740993' } }]);
  });

  it('runs siblings of a failed step, skips its dependents, and reports the types of both as partial', async () => {
    const { entities, report } = await runSteps([
      failing('users', { emits: { entities: ['user'] } }),
      hostStep('hosts', 'a'),
      hostStep('owners', 'b', {
        dependsOn: ['users'],
        emits: { entities: ['host'], relationships: ['OWNS'] },
      }),
    ]);

    expect(entities.map(({ key }) => key)).toEqual(['a']);
    expect(report).toMatchObject({
      status: 'partial',
      partial_types: ['user', 'host', 'OWNS'],
      steps: [
        { id: 'users', status: 'failed', reason: 'the listing broke off' },
        { id: 'hosts', status: 'done' },
        { id: 'owners', status: 'skipped', reason: 'needs users, which did not succeed' },
      ],
    });
  });

  it('leaves out disabled steps and their dependents without a partial type', async () => {
    const { report } = await runSteps([
      hostStep('off', 'a', { enabled: false }),
      hostStep('after', 'b', { dependsOn: ['off'] }),
      hostStep('hosts', 'c'),
    ]);

    expect(report.steps.map(({ status }) => status)).toEqual(['disabled', 'done', 'disabled']);
    expect(report).toMatchObject({ status: 'complete', partial_types: [] });
  });

  it('discards the emits of a failed attempt, and retries after a doubling pause', async () => {
    const clock = new TurnedClock();
    let attempts = 0;
    const flaky = hostStep('hosts', '', {
      retries: 2,
      run(context) {
        attempts++;
        context.emitEntity({ type: 'host', key: `try-${attempts}` });
        if (attempts < 3) throw new Error('not yet');
      },
    });

    const running = runSteps([flaky], { clock });
    await clock.turn(1_000);
    await clock.turn(2_000);
    const { entities, report } = await running;

    expect(entities.map(({ key }) => key)).toEqual(['try-3']);
    expect(report.steps).toMatchObject([{ status: 'done', attempts: 3, duration_ms: 3_000 }]);
  });

  it('ends a step at its time-out, and rejects later emits', async () => {
    const clock = new TurnedClock();
    const late = Promise.withResolvers<StepContext<unknown>>();
    const hung = hostStep('hosts', '', {
      timeoutMs: 5_000,
      run: (context) => {
        late.resolve(context);
        return new Promise(() => undefined);
      },
    });

    const running = runSteps([hung], { clock });
    await clock.turn(5_000);
    const { report } = await running;
    const context = await late.promise;

    expect(report).toMatchObject({ status: 'failed', steps: [{ reason: 'took longer than 5000 ms' }] });
    expect(context.signal.aborted).toBe(true);
    expect(() => context.emitEntity(HOST)).toThrow('step hosts has ended: it may not emit any more');
  });

  it('stops on request without a retry', async () => {
    const stop = new AbortController();
    const step = hostStep('hosts', '', {
      retries: 5,
      run: () => {
        stop.abort();
        return new Promise(() => undefined);
      },
    });

    const { report } = await runSteps([step, hostStep('next', 'b', { dependsOn: ['hosts'] })], {
      signal: stop.signal,
    });

    expect(report.status).toBe('aborted');
    expect(report.steps).toMatchObject([
      { status: 'failed', attempts: 1, reason: 'the run was stopped' },
      { status: 'skipped' },
    ]);
  });

  it('runs at most the configured number of steps of a wave at once', async () => {
    let running = 0;
    let most = 0;
    const steps = Array.from({ length: 9 }, (_, index) =>
      hostStep(`s${index}`, `h${index}`, {
        async run() {
          most = Math.max(most, ++running);
          await Promise.resolve();
          running--;
        },
      }),
    );

    await runSteps(steps, { concurrency: 3 });

    expect(most).toBe(3);
  });

  it.each([
    [{ type: 'host', key: '' }, 'expected at least 1 byte'],
    [{ type: 'host', key: 'a', properties: { nested: {} } }, 'nested'],
    [{ type: 'user', key: 'a' }, 'emits user without declaring it'],
  ])('checks at once what is emitted: %j', async (draft, message) => {
    const { report } = await runSteps([
      hostStep('hosts', '', { run: (context) => context.emitEntity(draft) }),
    ]);

    expect(report.steps[0]?.reason).toContain(message);
  });

  it.each([
    ['emitEntity', null, 'emitEntity: expected {type, key, …}, got null'],
    ['emitEntity', undefined, 'emitEntity: expected {type, key, …}, got nothing'],
    ['emitEntity', [HOST], 'emitEntity: expected {type, key, …}, got a list'],
    ['emitEntity', { ...HOST, properties: 'os=linux' }, 'properties'],
    ['emitEntity', { ...HOST, properties: 5 }, 'properties'],
    ['emitRelationship', 5, 'emitRelationship: expected {from, verb, to, …}, got a number'],
    ['emitRelationship', { verb: 'OWNS', to: HOST }, '.from: expected {type, key}, got nothing'],
    ['emitRelationship', { from: HOST, verb: 'OWNS', to: 'a' }, '.to: expected {type, key}, got a string'],
    ['emitAll', null, 'emitAll: expected {entities, relationships}, each iterable, got null'],
    [
      'emitAll',
      { entities: 5 },
      'emitAll: expected {entities, relationships}, each iterable, in entities, got a number',
    ],
    ['emitAll', { relationships: Promise.resolve([]) }, 'in relationships, got an object'],
    ['emitAll', { entities: [null] }, 'emitEntity: expected {type, key, …}, got null'],
    ['incomplete', 'host', 'incomplete: expected a list of types and verbs, and a reason, got a string'],
    ['incomplete', null, 'incomplete: expected a list of types and verbs, and a reason, got null'],
  ] as const)('names connector, step and call for what is no record: %s(%j)', async (call, odd, message) => {
    const step = hostStep('hosts', '', {
      run: (context: Record<typeof call, (given: unknown, more: unknown) => unknown>) =>
        context[call](odd, 'half'),
    } as Partial<Step>);
    const { report } = await runSteps([step, hostStep('others', 'b')]);

    const [failed, other] = report.steps;
    expect(failed?.reason).toMatch(/^connector test, step hosts/);
    expect(failed?.reason).toContain(message);
    expect(other?.status).toBe('done');
  });

  it('takes any text of a warning', async () => {
    const odd: unknown[] = [5, null, new Error('broken'), Object.create(null)];
    const step = hostStep('hosts', '', {
      run: (context: { readonly warn: (message: unknown) => void }) => {
        for (const each of odd) context.warn(each);
      },
    } as Partial<Step>);

    const { report } = await runSteps([step]);

    expect(report.warnings).toEqual([
      'hosts: 5',
      'hosts: null',
      'hosts: broken',
      'hosts: failed without a readable reason',
    ]);
  });

  it('accepts a repeated statement, and rejects a contradiction', async () => {
    const twice = (second: object): Step =>
      hostStep('hosts', '', {
        run(context) {
          context.emitEntity({ ...HOST, properties: { os: 'linux', cpu: 2 } });
          context.emitEntity({ ...HOST, properties: { ...second } });
        },
      });

    const same = await runSteps([twice({ cpu: 2, os: 'linux' })]);
    const other = await runSteps([twice({ os: 'windows' })]);

    expect(same.report).toMatchObject({ status: 'complete', entities: 1 });
    expect(other.report.steps[0]?.reason).toBe('host a was emitted twice, with different content');
  });

  it('ends a step whose records do not fit into memory, and keeps those of the others', async () => {
    const endless: Step = {
      id: 'endless',
      emits: { entities: ['page'] },
      retries: 1,
      async run(context) {
        for (let page = 0; ; page++) {
          context.emitEntity({ type: 'page', key: `p${page}`, properties: { text: 'x'.repeat(1_000) } });
          if (page % 100 === 0) await new Promise(setImmediate);
        }
      },
    };
    const repeating: Step = {
      id: 'repeating',
      dependsOn: ['hosts'],
      emits: { entities: ['disk'] },
      run(context) {
        for (let time = 0; time < 10_000; time++) context.emitEntity({ type: 'disk', key: 'a' });
      },
    };

    const { entities, report } = await runSteps([endless, hostStep('hosts', 'a'), repeating], {
      recordBytesMax: 1_048_576,
    });

    expect(report.steps.map(({ id, status, attempts }) => [id, status, attempts]).sort()).toEqual([
      ['endless', 'failed', 2],
      ['hosts', 'done', 1],
      ['repeating', 'done', 1],
    ]);
    expect(report.steps.find(({ id }) => id === 'endless')?.reason).toMatch(
      /^the records of the run take more memory than 1 MiB/,
    );
    expect(entities.map(({ type }) => type).sort()).toEqual(['disk', 'host']);
  });

  it('holds no more records of a step that ignores the limit', async () => {
    const ignorant: Step = {
      id: 'ignorant',
      emits: { entities: ['page'] },
      run(context) {
        for (let page = 0; page < 10_000; page++) {
          // Random: it cannot be compressed.
          const text = randomBytes(750).toString('base64');
          try {
            context.emitEntity({ type: 'page', key: `p${page}`, properties: { text } });
          } catch {
            continue;
          }
        }
      },
    };

    const { entities } = await runSteps([ignorant], { recordBytesMax: 1_048_576 });

    expect(entities.length).toBeGreaterThan(500);
    expect(entities.length).toBeLessThan(1_400);
  });

  it('redacts secrets in reasons', async () => {
    const step = failing('login', {
      run: () => {
        throw new Error('login with hunter2-hunter2 failed');
      },
    });

    const { report } = await runSteps([step], { environment: { PASSWORD: 'hunter2-hunter2' } });

    expect(report.steps[0]?.reason).toBe('login with [redacted] failed');
  });

  it('redacts secrets in what a step logs, and survives what cannot be read', async () => {
    const lines: unknown[] = [];
    const note = (fields: object, message: string): void => void lines.push([fields, message]);
    const broken = {
      get facts(): string {
        throw new Error('no facts for hunter2');
      },
    };
    const step: Step = {
      id: 'talks',
      run({ log }) {
        log.info(
          { url: new URL('https://x.test/?key=hunter2'), tries: [1, 'hunter2-long'] },
          'asked hunter2',
        );
        log.warn({ error: new Error('refused: hunter2'), deep: { token: 'hunter2' } }, 'refused');
        log.warn(broken, 'broken');
      },
    };

    const { report } = await runSteps([step], {
      environment: { SHORT: 'hunter2', LONG: 'hunter2-long' },
      log: { info: note, warn: note },
    });

    expect(report.status).toBe('complete');
    expect(lines).toEqual([
      [{ url: 'https://x.test/?key=[redacted]', tries: [1, '[redacted]'] }, 'asked [redacted]'],
      [{ error: 'refused: [redacted]', deep: { token: '[redacted]' } }, 'refused'],
      [{ value: 'unreadable: no facts for [redacted]' }, 'broken'],
    ]);
  });

  it('redacts secrets in warnings, also as part of an address', async () => {
    const step = hostStep('hosts', '', {
      emits: { entities: ['host'] },
      run: (context) => {
        context.warn('skipped ldap://reader:hunter%202@dc2');
        context.incomplete(['host'], 'login with hunter 2 failed');
      },
    });

    const { report } = await runSteps([step], { environment: { PASSWORD: 'hunter 2' } });

    expect(report.warnings).toEqual([
      'hosts: skipped ldap://reader:[redacted]@dc2',
      'hosts: login with [redacted] failed',
    ]);
  });

  it('yields while a step emits many records, and stops it at its time-out', async () => {
    const clock = new TurnedClock();
    function* endless() {
      for (let index = 0; ; index++) yield { type: 'host', key: `h${index}` };
    }
    const step = hostStep('hosts', '', {
      timeoutMs: 1_000,
      run: (context) => context.emitAll({ entities: endless() }),
    });

    const running = runSteps([step], { clock });
    await clock.turn(1_000);
    const { report } = await running;

    expect(report).toMatchObject({ status: 'failed', entities: 0 });
    expect(report.steps[0]?.reason).toBe('took longer than 1000 ms');
  });

  it('keeps the first 100 warnings and counts all', async () => {
    const step = hostStep('hosts', '', {
      run: (context) => {
        for (let index = 0; index < 150; index++) context.warn(`odd ${index}`);
      },
    });

    const { report } = await runSteps([step]);

    expect(report.warnings).toHaveLength(100);
    expect(report.warnings[0]).toBe('hosts: odd 0');
    expect(report.warning_count).toBe(150);
  });
});
