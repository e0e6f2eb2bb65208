import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import {
  browserMissing,
  describeUnless,
  openBrowser,
  pixelsBeyondScreen,
  seriousFaults,
  takePicture,
} from '#testing';
import { type ConsoleOptions, onConsolePage } from './support/console-page.ts';
import { ESTATE } from './support/estate.ts';
import { TestService } from './support/test-service.ts';
import { TurnedClock } from './support/turned-clock.ts';

const describeWithBrowser = describeUnless(await browserMissing());

const DAY_MS = 86_400_000;
const EDR = {
  id: 'edr',
  name: 'Hosts without EDR',
  severity: 'high',
  query: 'FIND host THAT !PROTECTS edr_agent',
};
const MFA = {
  id: 'mfa',
  name: 'Users without MFA',
  severity: 'critical',
  query: 'FIND user WITH mfa_enabled = false',
};

describeWithBrowser('the findings in the console', () => {
  let browser: Browser;
  let service: TestService;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });
  beforeEach(async () => {
    await (service as TestService | undefined)?.stop();
    const clock = new TurnedClock();
    // Two rules found theirs two days ago, by the clock of the service.
    clock.turn(-2 * DAY_MS);
    service = await TestService.start({ clock });
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
    await service.json(200, 'POST', '/v1/policies', { rules: [EDR, MFA] });
    await service.json(200, 'POST', '/v1/policies/evaluate', {});
    clock.turn(2 * DAY_MS);
    await service.json(200, 'POST', '/v1/ingest/write', { entities: [{ type: 'host', key: 'new-01' }] });
    await service.json(200, 'POST', '/v1/policies/evaluate', {});
  });

  const inConsole = (
    hash: string,
    work: Parameters<typeof onConsolePage>[2],
    more: Partial<ConsoleOptions> = {},
  ): Promise<void> => onConsolePage(browser, { url: service.url, hash, ...more }, work);

  it('opened since yesterday are two actions away, and one of them is waived by three more', async () => {
    await inConsole('', async (page) => {
      // Two actions: the view, and the time.
      await page.getByRole('link', { name: 'Findings', exact: true }).click();
      await page.getByLabel('Opened').selectOption('24h');
      await page.getByRole('heading', { name: '1 finding', exact: true }).waitFor();
      const found = await page.getByRole('list', { name: 'Findings' }).getByRole('listitem').allInnerTexts();
      // Three more: the button, the reason, and Enter.
      await page.getByRole('button', { name: 'Waive: host new-01' }).click();
      await page.keyboard.type('Not in use yet');
      await page.keyboard.press('Enter');
      await page.getByText('No finding matches.').waitFor();
      await page.getByRole('button', { name: 'Waived 1' }).click();
      await page.getByText(/waived by anyone until .*: Not in use yet/).waitFor();

      expect(found).toEqual([expect.stringContaining('host new-01')]);
    });
    expect(await service.json(200, 'GET', '/v1/findings?state=waived')).toMatchObject({
      count: 1,
      findings: [{ label: 'host new-01', waiver: { by: 'anyone', reason: 'Not in use yet' } }],
    });
  });

  it('are assigned, accepted and reopened in place', async () => {
    await inConsole('#/findings?q=web-02', async (page) => {
      await page.getByRole('button', { name: 'Assign: host web-02' }).click();
      await page.keyboard.type('carol');
      await page.keyboard.press('Enter');
      await page.getByRole('list', { name: 'Findings' }).getByText('carol', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Waive: host web-02' }).click();
      await page.keyboard.type('Old');
      await page.locator('form').getByRole('combobox').selectOption('accepted');
      await page.getByRole('button', { name: 'Accept', exact: true }).click();
      await page.getByRole('button', { name: 'Accepted 1' }).click();
      await page.getByRole('button', { name: 'Reopen: host web-02' }).click();
      await page.getByRole('button', { name: 'Open 1' }).click();
      await page.getByRole('button', { name: 'Waive: host web-02' }).waitFor();
    });
  });

  it('show in the graph what proves them, by one action', async () => {
    await inConsole('#/findings?q=win-01', async (page) => {
      await page.getByRole('link', { name: 'Show in graph: host win-01' }).click();
      await page.getByRole('application', { name: /^Graph:/ }).waitFor();

      expect(page.url()).toContain('&v=graph');
    });
  });

  it('are exported as they are filtered', async () => {
    await inConsole('#/findings?severity=critical', async (page) => {
      await page.getByRole('heading', { name: '1 finding', exact: true }).waitFor();
      const files: string[] = [];
      for (const name of ['CSV', 'SARIF']) {
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name }).click(),
        ]);
        files.push(await readFile(await download.path(), 'utf8'));
      }

      expect(files[0]?.split('\r\n')).toEqual([
        expect.stringMatching(/^severity,state,/),
        expect.stringMatching(/^critical,open,user bob,/),
        '',
      ]);
      expect(JSON.parse(files[1] ?? '')).toMatchObject({ runs: [{ results: [{ ruleId: 'mfa' }] }] });
    });
  });

  it.each<[string, Partial<ConsoleOptions>]>([
    ['wide', {}],
    ['phone', { width: 360, height: 740 }],
    ['dark', { colours: 'dark' }],
  ])('are accessible, and fit their screen: %s', async (name, more) => {
    await inConsole(
      '#/findings',
      async (page) => {
        await page.getByRole('button', { name: /host web-02 Hosts without EDR/ }).click();
        await page.getByRole('link', { name: 'Open the proof as query' }).waitFor();
        await page.getByRole('button', { name: 'Waive: host web-02' }).click();
        await takePicture(page, `findings-${name}`);

        expect(await seriousFaults(page)).toEqual([]);
        expect(await pixelsBeyondScreen(page)).toBe(0);
      },
      more,
    );
  });
});
