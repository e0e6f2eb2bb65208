import { afterAll, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { pause } from '#platform/foundation';
import { pixelsBeyondScreen, seriousFaults } from '#testing';
import type { ConsoleOptions } from './support/console-page.ts';
import { Receiver } from './support/receiver.ts';
import { describeWithBrowser, testConsole } from './support/test-console.ts';
import { TestService } from './support/test-service.ts';

const RULES = [
  { id: 'hosts', name: 'Hosts without an agent', severity: 'high', query: 'FIND host' },
  { id: 'users', name: 'Users without a second factor', severity: 'low', query: 'FIND user' },
];
const HOSTS = Array.from({ length: 12 }, (_, at) => ({ type: 'host', key: `web-${at}`, class: 'Host' }));

describeWithBrowser("the console's view of notifications", () => {
  let directory: string;
  let receiver: Receiver;
  let bare: TestService;

  const tested = testConsole(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-notify-page-'));
    receiver = await Receiver.start();
    receiver.answer = (reply) => reply.writeHead(503).end();
    await writeFile(
      join(directory, 'notifications.yaml'),
      `channels:
  pager: { type: webhook, url: "${receiver.url}/in", allow_private: [127.0.0.1] }
  log: { type: file, path: ./told.ndjson }
notifications:
  - { on: [opened, resolved], to: [pager, log] }
retry: { first: 1h, longest: 1h }
`,
    );
    const environment = { PLEXUS_NOTIFICATIONS: join(directory, 'notifications.yaml') };
    const service = await TestService.start({ environment });
    bare = await TestService.start();
    return service;
  });
  afterAll(async () => {
    await bare.stop();
    await receiver.stop();
    await rm(directory, { recursive: true });
  });

  /** Deliveries are recorded after the answer. */
  async function notifyOfHosts(): Promise<void> {
    await tested.service.json(200, 'POST', '/v1/policies', { rules: RULES });
    await tested.service.json(200, 'POST', '/v1/ingest/write', { entities: HOSTS });
    await tested.service.json(200, 'POST', '/v1/policies/evaluate', {});
    for (;;) {
      const { notifications } = await tested.service.json(200, 'GET', '/v1/notifications');
      const tried = (notifications as { attempts: number }[]).filter(({ attempts }) => attempts > 0);
      if (tried.length === 2) return;
      await pause(5);
    }
  }

  const inConsole = (
    hash: string,
    work: (page: Page) => Promise<void>,
    more: Partial<ConsoleOptions> = {},
  ): Promise<void> => tested.onPage({ hash, ...more }, work);

  it('explains the set-up without a channel and without a message', async () => {
    await inConsole(
      '#/notifications',
      async (page) => {
        await page.getByText('plexus notify test ops --notifications').waitFor();
      },
      { url: bare.url },
    );
    await inConsole('#/notifications', async (page) => {
      await page.getByText('Nothing was sent yet').waitFor();
      expect(await page.getByText('plexus notify test pager').count()).toBe(1);
    });
  });

  it('shows delivered and failed messages by channel, with reason and next attempt', async () => {
    await notifyOfHosts();
    await inConsole('#/notifications', async (page) => {
      const items = page.getByRole('list', { name: 'Deliveries' }).getByRole('article');
      await items.nth(1).waitFor();
      const failing = items.filter({ hasText: 'to pager' });
      const failed = await failing.innerText();
      const rows = await page.getByRole('row').allInnerTexts();

      expect(rows.map((row) => row.split(/\s+/).slice(0, 4))).toEqual([
        ['Channel', 'waiting', 'delivered', 'given'],
        ['pager', '1', '0', '0'],
        ['log', '0', '1', '0'],
      ]);
      expect(failed).toMatch(/failing\s*12 findings opened[\s\S]*and 7 more · 1 try, the next in .*minutes/);
      expect(failed).toMatch(/Last error:[\s\S]*503/);

      await page.getByRole('link', { name: '1 delivered, log' }).click();
      await items.filter({ hasText: 'to log' }).waitFor();
      await failing.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'given up', exact: true }).click();
      await page.getByText('No delivery matches').waitFor();
      await page.getByRole('link', { name: 'Show all' }).click();
      await failing.waitFor();
    });
  });

  it('links to the finding, and reports one that no longer exists', async () => {
    await inConsole('#/notifications', async (page) => {
      await page.getByRole('link', { name: 'host web-1', exact: true }).first().click();
      const finding = page.getByRole('list', { name: 'Findings' }).getByRole('button', { expanded: true });
      await finding.filter({ hasText: 'web-1' }).waitFor();
      await page.getByRole('link', { name: 'Open the proof as query' }).waitFor();
    });
    await inConsole('#/posture?rule=hosts&finding=gone', async (page) => {
      await page.getByText('The finding that the address names is not found any more').waitFor();
    });
  });

  it.each(['light', 'dark'] as const)('has nothing that axe finds serious: %s', async (colours) => {
    for (const { url } of [tested.service, bare]) {
      await inConsole(
        '#/notifications',
        async (page) => {
          await page.waitForLoadState('networkidle');

          expect(await seriousFaults(page)).toEqual([]);
        },
        { url, colours },
      );
    }
  });

  it.each([360, 1440])('fits a width of %d pixels', async (width) => {
    for (const { url } of [tested.service, bare]) {
      await inConsole(
        '#/notifications',
        async (page) => {
          await page.waitForLoadState('networkidle');

          expect(await pixelsBeyondScreen(page)).toBe(0);
        },
        { url, width, height: 740 },
      );
    }
  });
});
