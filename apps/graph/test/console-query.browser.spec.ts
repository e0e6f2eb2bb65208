import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { seriousFaults } from '#testing';
import { ESTATE } from './support/estate.ts';
import { describeWithBrowser, SCREENS, testConsole } from './support/test-console.ts';
import { TestService } from './support/test-service.ts';

const BULK = 100_000;
const LAST_KEY = `k${BULK - 1}`;

describeWithBrowser('the query view', () => {
  const tested = testConsole(async () => {
    const service = await TestService.start();
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
    const entities = Array.from({ length: BULK }, (_, i) => ({
      type: 'bulk',
      key: `k${String(i).padStart(5, '0')}`,
      properties: { n: BULK - i },
    }));
    await service.json(200, 'POST', '/v1/ingest/sync', { connector_id: 'big', sync_id: '1', entities });
    return service;
  });

  const { onPage } = tested;

  const write = async (page: Page, pql: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'PQL' }).fill(pql);
  };
  const cell = (page: Page, text: string) => page.getByRole('gridcell', { name: text, exact: true }).first();

  it('runs the query in the address, and writes the current query to the address', () =>
    onPage({ hash: '#/query?q=FIND+user' }, async (page) => {
      await cell(page, 'alice').waitFor();
      await write(page, "FIND host WITH _key = 'web-01'");
      await page.keyboard.press('Control+Enter');
      await cell(page, 'web-01').waitFor();

      expect(decodeURIComponent(page.url().replaceAll('+', ' '))).toContain(
        "q=FIND host WITH _key = 'web-01'",
      );
    }));

  it('underlines an error in place and shows the hint', () =>
    onPage({}, async (page) => {
      await write(page, 'FIND host host2');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByRole('alert').filter({ hasText: 'an alias is written AS host2' }).waitFor();

      expect(await page.locator('.cm-lintRange-error').innerText()).toBe('host2');
    }));

  it('completes names in the data, and values of fields with few values', () =>
    onPage({}, async (page) => {
      await write(page, 'FIND ho');
      await page.keyboard.press('Control+Space');
      await page.getByRole('option', { name: /^host\b/ }).waitFor();
      await page.keyboard.press('Escape');
      await write(page, 'FIND host WITH state = ');
      await page.keyboard.press('Control+Space');

      await page.getByRole('option', { name: /'running'/ }).waitFor();
    }));

  it('opens completion by itself behind a verb and inside quotes, and replaces the quotes', () =>
    onPage({}, async (page) => {
      const editor = page.getByRole('textbox', { name: 'PQL' });
      await editor.pressSequentially("FIND host WITH state = '");
      await page.getByRole('option', { name: /'running'/ }).waitFor();
      await editor.pressSequentially('run');
      await page.getByRole('option', { name: /'running'/, selected: true }).waitFor();
      await page.getByRole('option', { name: /'running'/ }).click();
      expect(await editor.innerText()).toBe("FIND host WITH state = 'running'");

      await editor.pressSequentially(' TH');
      await page.getByRole('option', { name: /^THAT\b/ }).waitFor();
      await editor.pressSequentially('AT RUNS ');
      await page.getByRole('option', { name: /^service\b/ }).waitFor();
    }));

  it('shows a plan as a tree, with rows per operator after a profile', () =>
    onPage({ hash: '#/query?q=FIND+host' }, async (page) => {
      await cell(page, 'web-01').waitFor();
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByRole('listitem').filter({ hasText: 'Select' }).last().waitFor();
      await page.getByRole('button', { name: 'Profile' }).click();

      await page
        .getByText(/\d+ rows.*\d ms/s)
        .last()
        .waitFor();
    }));

  it('sorts by a column, and moves through a table by keyboard', () =>
    onPage({ hash: '#/query?q=FIND+bulk+AS+b+RETURN+b._key,+b.n' }, async (page) => {
      await cell(page, 'k00000').waitFor();
      await page.getByRole('button', { name: 'b.n', exact: true }).click();
      const first = page.locator('[role=row][aria-rowindex="2"] [role=gridcell]').first();
      const sorted = await first.innerText();
      await first.click();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowRight');
      await page.locator('[data-cursor]:focus').waitFor();

      expect(sorted).toBe('k00999');
      expect(await page.locator('[data-cursor]').innerText()).toBe(String(BULK - 998));
    }));

  it('renders only the visible rows, and reads further pages on scrolling', () =>
    onPage({ hash: '#/query?q=FIND+bulk' }, async (page) => {
      await page.getByRole('button', { name: 'Load all' }).click();
      await page.locator(`[role=grid][aria-rowcount="${BULK + 1}"]`).waitFor();
      await page.getByRole('gridcell').first().click();
      await page.keyboard.press('Control+End');
      await cell(page, LAST_KEY).waitFor();

      expect(await page.getByRole('row').count()).toBeLessThan(100);
    }));

  it('exports the whole result', () =>
    onPage({ hash: '#/query?q=FIND+bulk+AS+b+RETURN+b._key' }, async (page) => {
      await cell(page, 'k00000').waitFor();
      await page.getByRole('button', { name: 'Export' }).click();
      const saved = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: 'CSV' }).click();
      const text = await readFile(await (await saved).path(), 'utf8');

      const lines = text.trimEnd().split('\r\n');
      expect([lines.length, lines[0], lines.at(-1)]).toEqual([BULK + 1, 'b._key', LAST_KEY]);
    }));

  it('keeps the loaded rows and saves nothing when further rows cannot be loaded', () =>
    onPage({}, async (page) => {
      await write(page, 'FIND bulk ORDER BY _key LIMIT 5000');
      await page.keyboard.press('Control+Enter');
      await cell(page, 'k00000').waitFor();
      await page.route('**/v1/query', (route) =>
        route.fulfill({ status: 410, json: { error: 'CURSOR_EXPIRED', message: 'the cursor has expired' } }),
      );
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name: 'CSV' }).click();

      await page.getByText('Nothing was saved: not all rows could be loaded.').waitFor();
      await page.getByRole('alert').filter({ hasText: 'the cursor has expired' }).waitFor();
      await cell(page, 'k00000').waitFor();
      await page.unroute('**/v1/query');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('5,000 results').waitFor();
      await page.getByRole('button', { name: /^Load/ }).waitFor({ state: 'hidden' });
    }));

  it('formats a query', () =>
    onPage({}, async (page) => {
      await write(page, 'find host as h that runs service as s where s.port < 1024 return h.name, s.name');
      await page.getByRole('button', { name: 'Format' }).click();

      await page
        .locator('.cm-line')
        .filter({ hasText: /^ {2}WHERE s\.port < 1024$/ })
        .waitFor();
    }));

  it('sends parameters as values', () =>
    onPage({}, async (page) => {
      await write(page, 'FIND host WITH _key = $key');
      await page.getByRole('textbox', { name: '$key' }).fill('web-02');
      await page.keyboard.press('Enter');

      await cell(page, 'web-02').waitFor();
    }));

  it('keeps tabs and the history', () =>
    onPage({ hash: '#/query?q=FIND+user' }, async (page) => {
      await cell(page, 'alice').waitFor();
      await page.keyboard.press('Alt+n');
      await write(page, 'FIND host');
      await page.keyboard.press('Control+Enter');
      await cell(page, 'web-01').waitFor();
      await page.reload();
      await cell(page, 'web-01').waitFor();
      const tabs = await page.getByRole('tab').allInnerTexts();
      await page.getByRole('button', { name: 'History' }).click();

      expect(tabs).toEqual(['user', 'host']);
      await page.getByRole('button', { name: /^FIND user/ }).click();
      await cell(page, 'alice').waitFor();
    }));

  it('cancels a query in the service too', () =>
    onPage({}, async (page) => {
      await page.route('**/v1/query', () => undefined);
      await write(page, 'FIND *');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      const ended = page.waitForEvent('requestfailed');
      await page.getByRole('button', { name: 'Stop' }).click();

      expect((await ended).failure()?.errorText).toContain('ABORTED');
      await page.getByRole('status').filter({ hasText: 'Stopped' }).waitFor();
    }));

  it('shows an entity with its neighbours and sources', () =>
    onPage({ hash: '#/query?q=FIND+host' }, async (page) => {
      await cell(page, 'web-01').click();
      const details = page.getByRole('complementary', { name: 'Details' });

      await details.getByRole('button', { name: 'nginx' }).waitFor();
      await details.getByText('states').waitFor();
    }));

  it.each(SCREENS)('has no serious accessibility violation: %i pixels wide, %s', (width, colours) =>
    onPage({ hash: '#/query?q=FIND+host+AS+h+RETURN+h', width, colours }, async (page) => {
      await cell(page, 'web-01').waitFor();

      expect(await seriousFaults(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }),
  );
});
