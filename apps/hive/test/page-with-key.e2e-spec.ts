import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { browserMissing, describeUnless, openBrowser } from '#testing';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';
import { SCENARIO } from './support/test-scenario.ts';

const missing = await browserMissing();

const KEY = 'k3y-of-the-hive';
const AUTHORIZED = { Authorization: `Bearer ${KEY}` };

describe('a hive with a key and public pages', () => {
  let hive: TestHive;

  beforeAll(async () => {
    const environment = { PLEXUS_HIVE_API_KEY: KEY, PLEXUS_HIVE_PUBLIC_PAGES: 'on' };
    hive = await TestHive.start({ environment });
  });
  afterAll(async () => {
    await hive.remove();
  });

  it('serves its page without the key, and data only with the key', async () => {
    const shell = await hive.call('GET', '/');
    const assets = Array.from(
      shell.text.matchAll(/"(\/assets\/[^"]+\.(?:js|css))"/g),
      ([, path = '']) => path,
    );
    const paths = ['/', ...assets.slice(0, 2), '/runs', '/edges', '/metrics'];

    const answers = await Promise.all(paths.map((path) => hive.call('GET', path)));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 401, 401, 401]);
  });

  describeUnless(missing)('in a browser', () => {
    it('opens a report with the key entered in the page', async () => {
      const edge = await TestEdge.connect('a', { address: hive.grpcAddress });
      const { run_id: runId } = await hive.json<{ run_id: string }>(
        201,
        'POST',
        '/runs',
        SCENARIO,
        AUTHORIZED,
      );
      await hive.hive.runs.active[0]?.effects.idle();
      await edge.has('start');
      edge.progress('done', {});
      await hive.hive.runs.active[0]?.effects.ended;
      await edge.crash();
      const browser = await openBrowser();
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(hive.url);

      await page.getByRole('textbox', { name: 'API key' }).fill(KEY);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.waitForSelector(`a[href*="${runId}/report"]`);
      const opened = context.waitForEvent('page');
      await page.click(`a[href*="${runId}/report"]`);
      const report = await opened;
      await report.waitForSelector('h1');

      expect(await report.innerText('body')).toContain(SCENARIO.name);
      await browser.close();
    });
  });
});
