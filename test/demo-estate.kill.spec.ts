/** The complete demo of an estate: real servers, the built program, and a path over all of them. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { postgresMissing } from '#graph/testing';
import { describeUnless } from '#testing';
import { DemoUnderTest } from './support/demo-under-test.ts';

const TIMEOUT_MS = 240_000;
const describeWithServer = describeUnless(postgresMissing());
const SOURCES = ['crm', 'cluster', 'bill', 'known', 'collection'];

describeWithServer('demo:estate', () => {
  let tested: DemoUnderTest;
  beforeEach(() => {
    tested = new DemoUnderTest('demo-estate.ts');
  });
  afterEach(() => tested.close());

  it(
    'collects every source, finds the planted path, tells a webhook, and leaves nothing',
    async () => {
      const { demo, code } = tested.start('--once');
      const exitCode = await code;
      const output = demo.lines.join('\n');

      expect({ exitCode, output }).toEqual({
        exitCode: 0,
        output: expect.stringContaining('everything that was started is gone'),
      });
      for (const id of SOURCES) expect(output).toMatch(new RegExp(`^${id} .*\n +complete: [1-9]`, 'm'));
      // What is not installed is skipped with a word; nothing is silently left out.
      for (const [id, what] of [
        ['corp', 'directory'],
        ['containers', 'containers'],
        ['network', 'network'],
      ])
        expect(output).toMatch(new RegExp(`^${id} .*\n +complete: [1-9]|^skipped +${what}: .`, 'm'));
      expect(output).toMatch(/^shop-0 .* CVE-2021-44228 +0\.94358$/m);
      expect(output).toMatch(/^0 .* IVAN@CORP\.EXAMPLE$/m);
      expect(output).toMatch(/─CAN_READ→ +table +crm\/crm\/public\.customers/);
      expect(output).toMatch(
        /^ {2}opened: user IVAN@CORP\.EXAMPLE \(S-1-5-21-\S+\): People who reach personal data/m,
      );
      expect(tested.left()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'leaves the console open with the path as a saved query, until it is interrupted',
    async () => {
      const { demo } = tested.start();
      const [, url = ''] = await demo.said(/^ {2}(http:\S+)\/#\/saved/);
      await demo.said(/^Ctrl-C ends/);
      const page = await fetch(url);
      const saved = await fetch(`${url}/v1/queries`);
      const names = JSON.stringify(await saved.json());
      const exitCode = await demo.end('SIGINT');

      expect([page.status, names]).toEqual([
        200,
        expect.stringContaining('How does the phished user reach personal data'),
      ]);
      expect([exitCode, demo.lines.at(-1)]).toEqual([
        0,
        expect.stringContaining('everything that was started is gone'),
      ]);
      expect(tested.left()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it.each([/^started +PostgreSQL/, /^started +Plexus/])(
    'ends what it has started when it is interrupted after %p',
    async (moment) => {
      const { demo } = tested.start();
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

  it(
    'rejects wrong usage',
    async () => {
      const { demo, code } = tested.start('--twice');

      expect([await code, demo.lines]).toEqual([2, ['usage: npm run demo:estate [-- --once]']]);
    },
    TIMEOUT_MS,
  );
});
