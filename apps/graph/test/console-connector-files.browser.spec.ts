import { afterAll, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { seriousFaults, takePicture } from '#testing';
import { describeWithBrowser, testConsole } from './support/test-console.ts';
import { TestService } from './support/test-service.ts';

const HOSTS = 'connector: synthetic\nconfig:\n  hosts: 3\n';

describeWithBrowser('connector files in the console', () => {
  let directory: string;
  const tested = testConsole(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-files-'));
    await writeFile(join(directory, 'estate.yaml'), HOSTS);
    const service = await TestService.start({
      environment: { PLEXUS_CONNECTORS: directory, PLEXUS_CONNECTORS_EDITABLE: 'on' },
    });
    return service;
  });
  afterAll(async () => {
    await rm(directory, { recursive: true });
  });

  const onSources = (work: (page: Page) => Promise<void>, more: object = {}): Promise<void> =>
    tested.onPage({ hash: '#/sources', ...more }, work);

  async function write(page: Page, text: string): Promise<void> {
    await page.getByLabel('Connector file', { exact: true }).fill(text);
  }

  it('are read again by a button; a faulty one is stale with its fault', async () => {
    await onSources(async (page) => {
      await page.getByRole('list', { name: 'Connector files' }).getByText('estate.yaml').waitFor();
      await writeFile(join(directory, 'estate.yaml'), 'connector: synthetic\nconfig:\n  hsts: 3\n');
      await page.getByRole('button', { name: 'Read again' }).click();
      await page.getByText('1 file read, 1 faulty').waitFor();
      await page.getByText(/did you mean hosts/).waitFor();
      await page
        .getByRole('link', { name: /^estate/ })
        .getByText('stale')
        .waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await takePicture(page, 'connector-files-stale');
    });
  });

  it('show how far a running step is', async () => {
    const step = `{ id: 'one', emits: { entities: ['host'] }, run: async (context) => {
      context.emitEntity({ type: 'host', key: 'a' });
      context.progress({ done: 1, total: 4 });
      await context.sleep(600_000);
    } }`;
    const module = `({ defineConnector }) => defineConnector({ name: 'own', about: 'x', config: {}, steps: () => [${step}] })`;
    await writeFile(join(directory, 'own.mjs'), `export const connector = ${module};\n`);
    await writeFile(join(directory, 'own.yaml'), 'connector: ./own.mjs\n');
    await onSources(async (page) => {
      await page.getByRole('button', { name: 'Read again' }).click();
      await page.getByRole('link', { name: /^own/ }).click();
      await page.getByRole('button', { name: 'Run now' }).click();
      await page.getByText('1 of 4').waitFor();
      await page.getByText('1 entity and 0 relationships so far').waitFor();
      expect(await page.getByRole('progressbar', { name: 'Of one' }).getAttribute('value')).toBe('1');
      expect(await seriousFaults(page)).toEqual([]);
      await takePicture(page, 'connector-run');
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByRole('button', { name: 'Run now' }).waitFor();
    });
    await rm(join(directory, 'own.yaml'));
    await rm(join(directory, 'own.mjs'));
  });

  it('are changed with each fault at its place, and saved only without any', async () => {
    await onSources(async (page) => {
      const read = Promise.withResolvers<undefined>();
      await page.route('**/v1/connector-files/estate.yaml', async (route) => {
        await read.promise;
        await route.continue();
      });
      await page.getByRole('button', { name: 'estate.yaml' }).click();
      expect(await page.getByLabel('Connector file', { exact: true }).count()).toBe(0);
      read.resolve(undefined);
      const save = page.getByRole('button', { name: 'Save' });
      await write(page, 'connector: synthetic\nconfig:\n  hosts: many\n  usrs: 1\n');
      await page.getByText('2 faults').waitFor();
      const faults = page.getByRole('list', { name: 'Faults' });
      expect(await faults.getByRole('button').allTextContents()).toEqual(['3:10', '4:3']);
      expect(await save.isDisabled()).toBe(true);
      await takePicture(page, 'connector-file-faults');

      await write(page, HOSTS.replace('3', '7'));
      await page.getByText('No faults').waitFor();
      await save.click();
      await page.getByLabel('Edit a connector file').waitFor({ state: 'detached' });
    });

    expect(await readFile(join(directory, 'estate.yaml'), 'utf8')).toContain('hosts: 7');
  });

  it('are added from the keys of a connector on a phone, and do not replace a file of the same name', async () => {
    await onSources(
      async (page) => {
        await page.getByRole('button', { name: 'New connector' }).click();
        await page.getByRole('combobox', { name: 'Connector' }).selectOption('ldap');
        await page.getByText('Keys of').waitFor();
        await page.getByText('2 faults').waitFor();
        expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
        expect(await page.getByLabel('File', { exact: true }).inputValue()).toBe('ldap.yaml');
        await takePicture(page, 'connector-file-new-phone');
        await page.getByRole('combobox', { name: 'Connector' }).selectOption('synthetic');
        await page.getByText('No faults').waitFor();
        await writeFile(join(directory, 'synthetic.yaml'), HOSTS);
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('it has been changed meanwhile, or is there already').waitFor();
        expect(await seriousFaults(page)).toEqual([]);
      },
      { width: 360, height: 800 },
    );

    expect(await readFile(join(directory, 'synthetic.yaml'), 'utf8')).toBe(HOSTS);
  });

  it('are removed after a question, and their connector with them', async () => {
    await onSources(async (page) => {
      await page.getByRole('button', { name: 'Read again' }).click();
      await page.getByRole('button', { name: 'synthetic.yaml' }).click();
      await page.getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('button', { name: 'synthetic.yaml' }).waitFor({ state: 'detached' });
      expect(await page.getByRole('link', { name: /^synthetic/ }).count()).toBe(0);
    });
  });
});
