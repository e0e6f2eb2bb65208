/** What a person does who has read nothing: files are dropped, and the answer is clicks and a name away. */
import { afterAll, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { takePicture } from '#testing';
import { describeWithBrowser, testConsole } from './support/test-console.ts';
import { TestService } from './support/test-service.ts';

const BILL = fileURLToPath(new URL('../../../samples/estate/shop.cdx.json', import.meta.url));
const USERS = 'user,email,member_of\nann,ann@example.com,sales\nbob,bob@example.com,storage\n';
const TABLES = 'table,contains_pii,read_by\ncustomers,true,sales\nproducts,false,storage\n';

describeWithBrowser('a new person at the console', () => {
  let directory: string;
  const tested = testConsole(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-newcomer-'));
    const service = await TestService.start();
    return service;
  });
  afterAll(async () => {
    await rm(directory, { recursive: true });
  });

  const onPage = (work: (page: Page) => Promise<void>): Promise<void> =>
    tested.onPage({ hash: '#/sources' }, work);

  async function drop(page: Page, name: string, content: string): Promise<void> {
    const file = join(directory, name);
    await writeFile(file, content);
    await page.getByLabel('File to import').setInputFiles(file);
    await page.getByText('a new source; nothing is written yet').waitFor();
  }

  async function write(page: Page, source: string): Promise<void> {
    await takePicture(page, `newcomer-${source}`);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('list', { name: 'Imported sources' }).getByText(source).first().waitFor();
  }

  it('finds a package of a dropped bill, with what depends on it', () =>
    onPage(async (page) => {
      await drop(page, 'shop.cdx.json', await readFile(BILL, 'utf8'));
      await write(page, 'shop.cdx');

      await page.keyboard.press('/');
      await page.keyboard.type('log4j-core');
      await page.getByRole('option').filter({ hasText: 'log4j-core' }).first().waitFor();
      await page.keyboard.press('Enter');

      const details = page.getByRole('complementary', { name: 'Details' });
      await details.getByRole('heading', { name: /log4j-core/ }).waitFor();
      await takePicture(page, 'newcomer-package');
      const dependents = details.locator('details').filter({ hasText: 'DEPENDS_ON' });
      await dependents.getByRole('listitem').first().waitFor();
      expect(await dependents.getByRole('listitem').allTextContents()).toEqual([
        expect.stringContaining('shop'),
      ]);
    }));

  it('finds the path from a person of a CSV to a table with personal data without a query', () =>
    onPage(async (page) => {
      await drop(page, 'users.csv', USERS);
      await write(page, 'users');
      await drop(page, 'tables.csv', TABLES);
      expect(await page.getByLabel('read_by is').inputValue()).toBe('relationship');
      expect(await page.getByLabel('Type at read_by').inputValue()).toBe('group');
      expect(await page.getByLabel('Verb of read_by').inputValue()).toBe('CAN_READ');
      await page.getByText('2 relationships').waitFor();
      await write(page, 'tables');

      await page.getByRole('link', { name: 'Path', exact: true }).click();
      // By keys alone: each end is next to be typed, and the button comes last.
      await page.locator('input:focus').waitFor();
      for (const name of ['ann', 'customers']) {
        await page.keyboard.type(name);
        await page.getByRole('option', { name }).first().waitFor();
        await page.keyboard.press('Enter');
        await page.locator('strong').filter({ hasText: name }).waitFor();
      }
      await takePicture(page, 'newcomer-path-form');
      await page.locator('button:focus').getByText('Find the path').waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('application', { name: /^Graph/ }).waitFor();
      await page.getByText('1 result').waitFor();
      await takePicture(page, 'newcomer-path');
    }));
});
