import { afterAll, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { GRAPH_ACCESS } from '#platform/auth';
import { keyLine, keysOfRoles, secretOf, seriousFaults } from '#testing';
import { describeWithBrowser, testConsole } from './support/test-console.ts';
import { TestService } from './support/test-service.ts';

const ADMIN = { Authorization: `Bearer ${secretOf('admin')}` };
const RULE = { id: 'boxes', name: 'Boxes', query: 'FIND host', severity: 'high' };

describeWithBrowser('the console for a key that sees a part of the graph', () => {
  let directory: string;
  const tested = testConsole(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-scope-page-'));
    const keys = join(directory, 'keys.yaml');
    const roles = ['roles:', '  scoped: { permissions: [read], except: { classes: [Payroll] } }'];
    await writeFile(keys, keysOfRoles(GRAPH_ACCESS, keyLine('scoped'), ...roles));
    const environment = { PLEXUS_KEYS: keys, PLEXUS_PUBLIC_PAGES: 'on' };
    const service = await TestService.start({ environment });
    const entities = [
      { type: 'host', key: 'web-01', class: 'Host' },
      { type: 'host', key: 'hr-box', class: 'Payroll' },
    ];
    await service.json(200, 'POST', '/v1/ingest/write', { entities }, ADMIN);
    await service.json(200, 'POST', '/v1/policies', { rules: [RULE] }, ADMIN);
    const view = { text: 'FIND host', view: 'table' };
    await service.json(200, 'PUT', '/v1/views/Hosts', view, ADMIN);
    return service;
  });
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  const onPage = (hash: string, work: (page: Page) => Promise<void>): Promise<void> =>
    tested.onPage({ hash }, async (page) => {
      await page.locator('#key').fill(secretOf('scoped'));
      await page.getByRole('button', { name: 'Continue' }).click();
      await work(page);
    });

  it('shows rules with what they find in the part, and says that scores over time are refused', async () => {
    await onPage('#/posture?rule=boxes', async (page) => {
      await page.getByText('web-01').first().waitFor();
      const text = await page.locator('main').innerText();
      const faults = await seriousFaults(page);

      expect(text).toContain('Your key may not do this: scoped lacks the permission read.');
      expect(text).not.toContain('hr-box');
      expect(faults).toEqual([]);
    });
  });

  it('shows saved views', async () => {
    await onPage('#/saved', async (page) => {
      await page.getByText('Hosts', { exact: true }).first().waitFor();

      expect(await page.locator('main').innerText()).not.toContain('may not');
    });
  });

  it('shows counts and posture of the part', async () => {
    await onPage('#/overview', async (page) => {
      await page.getByText('of the rules that had data pass').waitFor();
      const text = await page.locator('main').innerText();

      expect(text).toMatch(/Entities\s+1\b/);
      expect(text).not.toContain('may not');
    });
  });

  it('says plainly that sources are not shown', async () => {
    await onPage('#/sources', async (page) => {
      await page.getByText('Your key may not do this').first().waitFor();

      expect(await page.locator('main').innerText()).toContain('The sources could not be read');
    });
  });
});
