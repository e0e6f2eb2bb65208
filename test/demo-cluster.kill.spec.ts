/** The complete demo of a cluster, with real databases and built programs. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { postgresMissing } from '#graph/testing';
import { describeUnless } from '#testing';
import { DemoUnderTest } from './support/demo-under-test.ts';

const TIMEOUT_MS = 180_000;
const describeWithServer = describeUnless(postgresMissing());

describeWithServer('demo:cluster', () => {
  let tested: DemoUnderTest;
  beforeEach(() => {
    tested = new DemoUnderTest('demo-cluster.ts');
  });
  afterEach(() => tested.close());

  it(
    'kills a node and the primary database, finds every acknowledged write on every node, and leaves no process',
    async () => {
      const { demo, code } = tested.start('--seconds', '2');
      const exitCode = await code;
      const output = demo.lines.join('\n');
      const figure = (title: string): number =>
        Number(new RegExp(`${title} +([\\d,]+)$`, 'm').exec(output)?.[1]?.replaceAll(',', ''));
      const acknowledged = figure('writes acknowledged');

      expect({ exitCode, output }).toEqual({
        exitCode: 0,
        output: expect.stringContaining('Passed: every acknowledged write'),
      });
      expect(acknowledged).toBeGreaterThan(0);
      expect(['a', 'b', 'c'].map((name) => figure(`found on node ${name}`))).toEqual(
        Array.from({ length: 3 }, () => acknowledged),
      );
      expect(figure('reads checked')).toBeGreaterThan(0);
      expect(['lost', 'torn versions seen', 'behind their token'].map(figure)).toEqual([0, 0, 0]);
      expect(output).toMatch(/node [abc](, which leads,)? is killed by SIGKILL \(process \d+\)/);
      expect(output).toMatch(/node [abc] is back after/);
      expect(output).toMatch(/the primary db_a is killed by SIGKILL/);
      expect(output).toMatch(/db_[bc] takes writes: [\d,]+ ms after the promotion was ordered/);
      expect(output).not.toContain('\u001b');
      expect(tested.left()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'fails when a node ends unexpectedly: uncounted values are unknown, and the logs are kept',
    async () => {
      const { demo, code } = tested.start('--seconds', '10');
      await demo.said(/load started/);
      const node = tested.processes().find(({ words }) => words.includes('--cache-dir'));
      process.kill(node?.pid ?? Number.NaN, 'SIGKILL');
      const exitCode = await code;
      const output = demo.lines.join('\n');
      const [, logs = ''] = /^Logs of all processes: (.+)$/m.exec(output) ?? [];

      expect([exitCode, output]).toEqual([1, expect.stringMatching(/DID NOT HOLD: node [abc] has ended/)]);
      expect(output).toMatch(/found on node [abc] +unknown/);
      expect(output).toMatch(/lost +unknown/);
      expect(readdirSync(logs).sort()).toEqual([
        'db_a.log',
        'db_b.log',
        'db_c.log',
        'node-a.log',
        'node-b.log',
        'node-c.log',
      ]);
      expect([dirname(logs), readdirSync(tested.directory)]).toEqual([tested.directory, [basename(logs)]]);
      expect(tested.processes()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it.each([/starting three databases/, /is killed by SIGKILL/])(
    'ends all of its processes when it is interrupted after %p',
    async (moment) => {
      const { demo } = tested.start('--seconds', '4');
      await demo.said(moment);
      const exitCode = await demo.end('SIGINT');

      expect([exitCode, demo.lines.at(-1)]).toEqual([
        130,
        expect.stringContaining('all started processes were ended'),
      ]);
      expect(tested.left()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it.each([['--seconds', 'x'], ['--seconds', '1'], ['--minutes', '2'], ['now']])(
    'rejects wrong usage: %s %s',
    async (...args) => {
      const { demo, code } = tested.start(...args.filter((word) => typeof word === 'string'));

      expect([await code, demo.lines]).toEqual([2, [expect.stringContaining('usage: npm run demo:cluster')]]);
    },
    TIMEOUT_MS,
  );
});
