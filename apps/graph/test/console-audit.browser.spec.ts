import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { browserMissing, describeUnless, openBrowser, seriousFaults } from '#testing';
import { onConsolePage } from './support/console-page.ts';
import { TestService } from './support/test-service.ts';

const describeWithBrowser = describeUnless(await browserMissing());

describeWithBrowser("the console's view of the audit trail", () => {
  let browser: Browser;
  let directory: string;
  let service: TestService;
  let bare: TestService;

  beforeAll(async () => {
    browser = await openBrowser();
    directory = await mkdtemp(join(tmpdir(), 'plexus-audit-page-'));
    service = await TestService.start({ environment: { PLEXUS_AUDIT: join(directory, 'audit.jsonl') } });
    bare = await TestService.start();
    const host = { type: 'host', key: 'web-01' };
    await service.json(200, 'POST', '/v1/ingest/write', { connector_id: 'crm', entities: [host] });
    await service.json(200, 'POST', '/v1/cypher', { cypher: 'CREATE (n:Host {id: 1})' });
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
    await bare.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('shows each change with its caller', async () => {
    await onConsolePage(browser, { url: service.url, hash: '#/audit' }, async (page) => {
      const rows = page.getByRole('row');
      await rows.filter({ hasText: 'POST /v1/cypher' }).waitFor();
      const written = await rows.filter({ hasText: '/v1/ingest/write' }).innerText();
      const faults = await seriousFaults(page);
      await page.getByLabel('What').fill('ingest');
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await rows.filter({ hasText: 'POST /v1/cypher' }).waitFor({ state: 'detached' });

      expect(written).toMatch(/anyone\s+127\.0\.0\.1\s+POST \/v1\/ingest\/write\s+crm entities put 1\s+done/);
      expect(faults).toEqual([]);
      expect(page.url()).toContain('#/audit?what=ingest');
    });
  });

  it('says where no trail is kept', async () => {
    await onConsolePage(browser, { url: bare.url, hash: '#/audit' }, async (page) => {
      await page.getByText('No audit trail is kept').waitFor();

      expect(await page.getByRole('alert').count()).toBe(0);
      expect(await page.getByRole('form', { name: 'Filter' }).count()).toBe(0);
    });
  });
});
