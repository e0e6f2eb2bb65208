/** One's work in the query view is kept: in tabs, on the way back, over a reload, in two windows. */
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ESTATE, hub } from './support/estate.ts';
import { describeWithBrowser, testConsole } from './support/test-console.ts';
import { TestService } from './support/test-service.ts';

const DATABASE = "FIND database WITH _key = 'db'";
const HOSTS = 'FIND host';
/** More than the drawings for which a browser has contexts of WebGL. */
const MANY_TABS = 8;

/** A canvas in the page. */
interface Drawing {
  readonly getContext: (kind: string) => { readonly isContextLost?: () => boolean } | null;
}

describeWithBrowser('the work in the query view', () => {
  const tested = testConsole(async () => {
    const service = await TestService.start();
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
    await service.json(200, 'POST', '/v1/ingest/sync', hub(20));
    return service;
  });

  const onPage = (hash: string, work: (page: Page) => Promise<void>): Promise<void> =>
    tested.onPage({ hash }, work);

  const address = (pql: string, rest: Readonly<Record<string, string>> = {}) =>
    `#/query?${new URLSearchParams({ q: pql, ...rest }).toString()}`;
  const follow = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  const write = (page: Page, pql: string) => page.getByRole('textbox', { name: 'PQL' }).fill(pql);
  const titles = (page: Page) => page.getByRole('tab').allInnerTexts();
  const undo = (page: Page) => page.getByRole('button', { name: 'Undo' });
  const nodes = (page: Page, count: number) =>
    page
      .getByRole('status')
      .filter({ hasText: new RegExp(`^\\s*${count} nodes?`) })
      .waitFor();
  const results = (page: Page, count: number) =>
    page
      .getByRole('status')
      .filter({ hasText: new RegExp(`^\\s*${count}\\s+results?`) })
      .waitFor();
  const asked = (page: Page) => new URLSearchParams(page.url().split('?')[1]).get('q');

  /** Draws the two neighbours of the database. */
  async function expand(page: Page): Promise<void> {
    await nodes(page, 1);
    await page.getByRole('searchbox', { name: 'Find a node' }).fill('Payroll');
    await page.keyboard.press('Enter');
    const actions = page.getByRole('toolbar', { name: 'Selected node' });
    await actions.getByRole('button', { name: 'Expand' }).click();
    await nodes(page, 2);
  }

  it('stays on the canvas, with its steps, while the table is shown', () =>
    onPage(address(DATABASE, { v: 'graph' }), async (page) => {
      await expand(page);
      await page.getByRole('button', { name: 'Table', exact: true }).click();
      await page.getByRole('gridcell', { name: 'db', exact: true }).first().waitFor();
      await page.getByRole('button', { name: 'Graph', exact: true }).click();

      await nodes(page, 2);
      await undo(page).click();
      await nodes(page, 1);
    }));

  it('stays in the order of a table while the canvas is shown', () =>
    onPage(address(HOSTS), async (page) => {
      const heading = page.getByRole('columnheader', { name: 'key' }).first();
      await heading.getByRole('button').click();
      await page.getByRole('button', { name: 'Graph', exact: true }).click();
      await page.getByRole('application').waitFor();
      await page.getByRole('button', { name: 'Table', exact: true }).click();

      expect(await heading.getAttribute('aria-sort')).toBe('ascending');
    }));

  it('is drawn in more tabs than a browser has drawings', () =>
    onPage('#/query', async (page) => {
      for (let limit = 1; limit <= MANY_TABS; limit += 1) {
        await follow(page, address(`FIND group LIMIT ${limit}`, { v: 'graph' }));
        await page.getByRole('tab', { name: `group LIMIT ${limit}`, selected: true }).waitFor();
        await page.getByRole('application').locator('canvas').first().waitFor();
      }
      await page.getByRole('tab').first().click();
      await page.getByRole('application').locator('canvas').first().waitFor();

      const lost = await page
        .locator('canvas')
        .evaluateAll((drawings: readonly Drawing[]) =>
          drawings.filter((drawing) => drawing.getContext('webgl2')?.isContextLost?.() === true),
        );
      expect(lost).toHaveLength(0);
    }));

  it('ends with a new result: the canvas has no node of the one before', () =>
    onPage(address('FIND group', { v: 'graph' }), async (page) => {
      await page.getByRole('application').locator('canvas').first().waitFor();
      await write(page, DATABASE);
      await page.keyboard.press('Control+Enter');

      await nodes(page, 1);
      expect(await undo(page).isDisabled()).toBe(true);
    }));

  it('is marked as that of the query before, and left out of the address, after an edit', () =>
    onPage(address(DATABASE, { v: 'graph' }), async (page) => {
      await expand(page);
      await page.waitForURL(/c=/);
      await write(page, HOSTS);
      await page.getByText('of the query before').waitFor();
      expect(page.url()).not.toContain('c=');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('menuitem', { name: 'View …' }).click();
      await page.getByText('The canvas belongs to the query before').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();

      await write(page, DATABASE);
      await page.getByText('of the query before').waitFor({ state: 'hidden' });
      await page.waitForURL(/c=/);
    }));

  it('stays when the next query has a fault', () =>
    onPage(address(DATABASE, { v: 'graph' }), async (page) => {
      await expand(page);
      await write(page, 'FIND host host2');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('alert').filter({ hasText: 'an alias is written AS host2' }).waitFor();
      await page.getByText('of the query before').waitFor();

      await nodes(page, 2);
      expect(page.url()).not.toContain('c=');
    }));

  it('stays, marked as that of the run before, when the service does not answer', () =>
    onPage(address(DATABASE, { v: 'graph' }), async (page) => {
      await expand(page);
      await page.route('**/v1/query', (route) => route.abort());
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByText('of the run before').waitFor();

      await nodes(page, 2);
    }));

  it('is found again by the way back, as it was left', () =>
    onPage(address(DATABASE, { v: 'graph' }), async (page) => {
      await expand(page);
      await follow(page, address(HOSTS));
      await page.getByRole('gridcell', { name: 'web-01' }).first().waitFor();
      await page.goBack();
      await nodes(page, 2);
      expect(await undo(page).isDisabled()).toBe(false);
      await page.goForward();
      await page.getByRole('gridcell', { name: 'web-01' }).first().waitFor();

      // A link to the query does not replace a canvas on which something was changed.
      await follow(page, address(DATABASE, { v: 'graph' }));
      await nodes(page, 1);
      expect(await titles(page)).toHaveLength(3);
    }));

  it('is brought back in all tabs when the page is loaded again', () =>
    onPage(address(DATABASE, { v: 'graph' }), async (page) => {
      await expand(page);
      await follow(page, address(HOSTS));
      await page.getByRole('gridcell', { name: 'web-01' }).first().waitFor();
      const before = await titles(page);
      await page.reload();
      await page.getByRole('gridcell', { name: 'web-01' }).first().waitFor();
      expect(await titles(page)).toEqual(before);

      await page.getByRole('tab').first().click();
      await nodes(page, 2);
      expect(asked(page)).toBe(DATABASE);
    }));

  it('ends with its tab, which a right click does not close', () =>
    onPage(address(DATABASE), async (page) => {
      await results(page, 1);
      await follow(page, address(HOSTS));
      await page.getByRole('gridcell', { name: 'web-01' }).first().waitFor();
      await page.getByRole('tab').first().click({ button: 'right' });
      expect(await titles(page)).toHaveLength(2);
      await page.getByRole('button', { name: 'Close host' }).click();
      expect(asked(page)).toBe(DATABASE);
      await page.reload();
      await results(page, 1);

      expect(await titles(page)).toHaveLength(1);
    }));

  it('is the own one of each window', () =>
    onPage(address(DATABASE), async (page) => {
      await results(page, 1);
      const other = await page.context().newPage();
      await other.goto(`${tested.service.url}/${address(HOSTS)}`);
      await other.getByRole('gridcell', { name: 'web-01' }).first().waitFor();
      await follow(page, address('FIND user'));
      await page.getByRole('gridcell', { name: 'alice' }).first().waitFor();
      const before = await titles(other);
      await other.reload();
      await other.getByRole('gridcell', { name: 'web-01' }).first().waitFor();

      expect(await titles(other)).toEqual(before);
      await other.getByRole('button', { name: 'History' }).click();
      await other.getByText('FIND user').waitFor();
    }));

  it('lets go of the page when a link is followed in the moment in which the page writes its address', () =>
    onPage(address(DATABASE), async (page) => {
      await results(page, 1);
      await page.evaluate(`{
        location.hash = ${JSON.stringify(address(HOSTS))};
        [...document.querySelectorAll('button')].find(({ innerText }) => innerText.trim() === 'JSON').click();
      }`);

      await page.getByRole('tab', { name: 'host', selected: true }).waitFor();
    }));

  it('is not cut at a number of tabs', () =>
    onPage(address(DATABASE), async (page) => {
      await results(page, 1);
      for (let limit = 1; limit <= 24; limit += 1) {
        await page.getByRole('button', { name: 'New query' }).click();
        await write(page, `FIND host LIMIT ${limit}`);
      }

      expect(await titles(page)).toHaveLength(25);
    }));

  it('follows an address with other parameters', () =>
    onPage(address('FIND host WITH _key = $key', { p: '{"key":"web-01"}' }), async (page) => {
      await results(page, 1);
      await follow(page, address('FIND host WITH _key = $key', { p: '{"key":"none"}' }));

      await results(page, 0);
    }));
});
