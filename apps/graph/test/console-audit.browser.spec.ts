import { afterAll, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seriousFaults } from '#testing';
import { describeWithBrowser, testConsole } from './support/test-console.ts';
import { TestService } from './support/test-service.ts';

describeWithBrowser("the console's view of the audit trail", () => {
  let directory: string;
  let bare: TestService;

  const tested = testConsole(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-audit-page-'));
    const service = await TestService.start({
      environment: { PLEXUS_AUDIT: join(directory, 'audit.jsonl') },
    });
    bare = await TestService.start();
    const host = { type: 'host', key: 'web-01' };
    await service.json(200, 'POST', '/v1/ingest/write', { connector_id: 'crm', entities: [host] });
    await service.json(200, 'POST', '/v1/cypher', { cypher: 'CREATE (n:Host {id: 1})' });
    return service;
  });
  afterAll(async () => {
    await bare.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('shows each change with its caller', async () => {
    await tested.onPage({ hash: '#/audit' }, async (page) => {
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
    await tested.onPage({ url: bare.url, hash: '#/audit' }, async (page) => {
      await page.getByText('No audit trail is kept').waitFor();

      expect(await page.getByRole('alert').count()).toBe(0);
      expect(await page.getByRole('form', { name: 'Filter' }).count()).toBe(0);
    });
  });
});
