import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { seriousFaults, takePicture } from '#testing';
import { ESTATE, hub } from './support/estate.ts';
import { describeWithBrowser, testConsole } from './support/test-console.ts';
import { TestService } from './support/test-service.ts';

const DATABASE = '#/query?q=FIND+database+WITH+_key+%3D+%27db%27&v=graph';
const HUB_AND_DATABASE =
  '#/query?q=FIND+%28group%7Cdatabase%29+WITH+_key+IN+%28%27hub%27%2C%27db%27%29&v=graph';

/** A path of 12 nodes. */
const CHAIN = {
  connector_id: 'chain',
  sync_id: 'chain-1',
  entities: Array.from({ length: 12 }, (_, at) => ({
    type: 'account',
    key: `chain-${at}`,
    class: 'User',
    display_name: `service-account-${at}`,
  })),
  relationships: Array.from({ length: 11 }, (_, at) => ({
    from: { type: 'account', key: `chain-${at}` },
    verb: 'CAN_ASSUME',
    to: { type: 'account', key: `chain-${at + 1}` },
  })),
};
const LONG_PATH = `#/query?q=${encodeURIComponent(
  "FIND SHORTEST PATH FROM account WITH _key = 'chain-0' TO account WITH _key = 'chain-11' DEPTH 20",
)}&v=graph`;

describeWithBrowser('the canvas', () => {
  const tested = testConsole(async () => {
    const service = await TestService.start();
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
    await service.json(200, 'POST', '/v1/ingest/sync', hub(20));
    await service.json(200, 'POST', '/v1/ingest/sync', CHAIN);
    await service.json(200, 'POST', '/v1/ingest/sync', {
      connector_id: 'large',
      sync_id: 'large-1',
      entities: [
        { type: 'group', key: 'large', class: 'UserGroup' },
        ...Array.from({ length: 120 }, (_, at) => ({
          type: 'guest',
          key: `g${at}`,
          class: 'User',
          display_name: `Member ${at}`,
        })),
      ],
      relationships: Array.from({ length: 120 }, (_, at) => ({
        from: { type: 'guest', key: `g${at}` },
        verb: 'MEMBER_OF',
        to: { type: 'group', key: 'large' },
      })),
    });
    return service;
  });

  const { onPage } = tested;

  const nodes = (page: Page, count: number) =>
    page
      .getByRole('status')
      .filter({ hasText: new RegExp(`^\\s*${count} nodes?`) })
      .waitFor();
  const actions = (page: Page) => page.getByRole('toolbar', { name: 'Selected node' });
  const undo = (page: Page) => page.getByRole('button', { name: 'Undo' });
  const redo = (page: Page) => page.getByRole('button', { name: 'Redo' });

  async function choose(page: Page, name: string): Promise<void> {
    await page.getByRole('searchbox', { name: 'Find a node' }).fill(name);
    await page.keyboard.press('Enter');
    await actions(page).getByText(name, { exact: true }).waitFor();
  }

  /** The middle of the canvas, where a single node is. */
  /** The middle of the canvas, after the frame that draws what is known. */
  async function middle(page: Page): Promise<{ readonly x: number; readonly y: number }> {
    await page.evaluate('new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))');
    const box = await page.getByRole('application').boundingBox();
    if (box === null) throw new Error('the canvas has no place');
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  it('takes back each change, and does it again', () =>
    onPage({ hash: DATABASE }, async (page) => {
      await nodes(page, 1);
      expect(await undo(page).isDisabled()).toBe(true);
      await choose(page, 'Payroll');
      await actions(page).getByRole('button', { name: 'Expand' }).click();
      await nodes(page, 2);
      await actions(page).getByRole('button', { name: 'Pin' }).click();
      await actions(page).getByRole('button', { name: 'Hide' }).click();
      await nodes(page, 1);
      await page.getByTitle('Hide').filter({ hasText: 'Database' }).waitFor({ state: 'hidden' });
      await page.getByTitle('Hide').filter({ hasText: 'UserGroup' }).click();
      await page.getByTitle('Show').filter({ hasText: 'UserGroup' }).waitFor();

      await page.getByRole('application').focus();
      await page.keyboard.press('Control+z');
      await page.getByTitle('Hide').filter({ hasText: 'UserGroup' }).waitFor();
      await page.keyboard.press('Control+z');
      await nodes(page, 2);
      await choose(page, 'Payroll');
      await actions(page).getByRole('button', { name: 'Unpin' }).waitFor();
      await undo(page).click();
      await actions(page).getByRole('button', { name: 'Pin', exact: true }).waitFor();
      await undo(page).click();
      await nodes(page, 1);
      await redo(page).click();
      await nodes(page, 2);
      await page.getByRole('application').focus();
      await page.keyboard.press('Control+Shift+z');
      await actions(page).getByRole('button', { name: 'Unpin' }).waitFor();
    }));

  it('is brought back by its address: nodes, places and pins', () =>
    onPage({ hash: DATABASE }, async (page) => {
      await nodes(page, 1);
      await choose(page, 'Payroll');
      await actions(page).getByRole('button', { name: 'Expand' }).click();
      await nodes(page, 2);
      await page.getByRole('button', { name: 'Layers' }).click();
      await actions(page).getByRole('button', { name: 'Pin' }).click();
      await page.waitForURL(/c=.*_p/);
      const address = page.url();
      await page.goto('about:blank');
      await page.goto(address);

      await nodes(page, 2);
      await choose(page, 'Payroll');
      await actions(page).getByRole('button', { name: 'Unpin' }).waitFor();
      expect(page.url()).toBe(address);
    }));

  it('opens a saved view with its nodes', () =>
    onPage({ hash: DATABASE }, async (page) => {
      await nodes(page, 1);
      await choose(page, 'Payroll');
      await actions(page).getByRole('button', { name: 'Expand' }).click();
      await nodes(page, 2);
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('menuitem', { name: 'View …' }).click();
      const dialog = page.getByRole('dialog', { name: 'Save the view' });
      await dialog.getByLabel('Name').fill('Who reads the payroll');
      await dialog.getByText('2 nodes').waitFor();
      await takePicture(page, 'view-save');
      expect(await seriousFaults(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved the view “Who reads the payroll”').waitFor();
      await nodes(page, 2);

      await onPage({ hash: '#/saved' }, async (other) => {
        await other.getByRole('link', { name: 'Who reads the payroll' }).click();
        await takePicture(other, 'view-saved');
        await other.getByRole('link', { name: 'Open' }).click();
        await nodes(other, 2);
        expect(other.url()).toContain('s=Who+reads+the+payroll');
        await other.getByText('1 result', { exact: false }).first().waitFor();
        await other.getByRole('link', { name: 'Saved', exact: true }).click();
        await other.getByRole('link', { name: 'Who reads the payroll' }).click();
        await other.getByRole('button', { name: 'Delete' }).click();
        await other.getByRole('button', { name: 'Delete for everybody' }).click();
        await other.getByText('Deleted “Who reads the payroll”').waitFor();
      });
    }));

  it('keeps parameters and result of a query that is saved', () =>
    onPage(
      { hash: '#/query?q=FIND+host+WITH+_key+%3D+%24key&p=%7B%22key%22%3A%22web-01%22%7D' },
      async (page) => {
        await page.getByRole('gridcell', { name: 'web-01' }).first().waitFor();
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Query …' }).click();
        const dialog = page.getByRole('dialog', { name: 'Save the query' });
        await dialog.getByLabel('Name').fill('One host');
        expect(await dialog.getByLabel('Default of $key').inputValue()).toBe('web-01');
        await dialog.getByRole('button', { name: 'Save', exact: true }).click();

        await page.getByText('Saved the query “One host”').waitFor();
        await page.getByRole('gridcell', { name: 'web-01' }).first().waitFor();
        expect(await tested.service.json(200, 'GET', '/v1/queries/One%20host')).toMatchObject({
          text: 'FIND host WITH _key = $key',
          parameters: { key: { type: 'string', default: 'web-01' } },
        });
      },
    ));

  it('drags a node, which is pinned where it was left', () =>
    onPage({ hash: DATABASE }, async (page) => {
      await nodes(page, 1);
      await page.getByRole('button', { name: 'Show all' }).click();
      const { x, y } = await middle(page);
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + 60, y + 40, { steps: 6 });
      await page.mouse.up();
      await page.waitForURL(/c=.*_p/);
      await choose(page, 'Payroll');
      await actions(page).getByRole('button', { name: 'Unpin' }).waitFor();
      await undo(page).click();
      await actions(page).getByRole('button', { name: 'Pin', exact: true }).waitFor();
    }));

  it('expands a node by a double click, though the first click opens details and moves the node', () =>
    onPage({ hash: DATABASE }, async (page) => {
      await nodes(page, 1);
      const { x, y } = await middle(page);
      await page.mouse.click(x, y);
      await page.getByRole('complementary', { name: 'Details' }).waitFor();
      await middle(page);
      await page.mouse.down({ clickCount: 2 });
      await page.mouse.up({ clickCount: 2 });

      await nodes(page, 2);
    }));

  it('opens a menu by a right click and by a long press, and Esc closes one thing after another', () =>
    onPage({ hash: DATABASE }, async (page) => {
      await nodes(page, 1);
      await page.getByRole('button', { name: 'Show all' }).click();
      const { x, y } = await middle(page);
      await page.mouse.click(x, y, { button: 'right' });
      const menu = page.getByRole('menu', { name: 'Actions for Payroll' });
      await menu.waitFor();
      await takePicture(page, 'canvas-menu');
      expect(await seriousFaults(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await menu.waitFor({ state: 'hidden' });

      const session = await page.context().newCDPSession(page);
      await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
      await menu.waitFor();
      await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
      await menu.getByRole('menuitem', { name: 'Expand' }).click();
      await nodes(page, 2);

      await choose(page, 'Payroll');
      const details = page.getByRole('complementary', { name: 'Details' });
      await details.waitFor();
      await page.getByRole('application').focus();
      await page.keyboard.press('Escape');
      await details.waitFor({ state: 'hidden' });
      await page.keyboard.press('Escape');
      await actions(page).waitFor({ state: 'hidden' });
    }));

  it('names relationships, curves parallel ones, and shows properties and sources of a clicked one', () =>
    onPage({ hash: HUB_AND_DATABASE }, async (page) => {
      await nodes(page, 2);
      await page.getByRole('button', { name: 'Layers' }).click();
      await page.getByRole('button', { name: 'Show all' }).click();
      await takePicture(page, 'canvas-parallel');
      const { x, y } = await middle(page);
      const details = page.getByRole('complementary', { name: 'Details' });
      const link = page.getByRole('toolbar', { name: 'Selected relationship' });
      // Four relationships lie around the straight line between the nodes.
      const hint = page.getByText(/^(The hub|Payroll) ─\w+→/);
      let up = 0;
      while (up < 100 && !(await hint.isVisible())) await page.mouse.move(x, y - (up += 4));
      await takePicture(page, 'relationship-hint');
      await page.mouse.click(x, y - up);
      await link.waitFor();
      await details.getByRole('heading', { name: 'Relationship' }).waitFor();
      await details.getByText('hub', { exact: true }).last().waitFor();
      await details.getByRole('heading', { name: 'Sources' }).waitFor();
      await takePicture(page, 'relationship-details');
      expect(await seriousFaults(page)).toEqual([]);

      await page.getByRole('button', { name: 'Save the graph' }).click();
      const saved = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: 'SVG' }).click();
      const svg = await readFile(await (await saved).path(), 'utf8');
      expect(svg.match(/marker-end="url\(#arrow\)"/g)).toHaveLength(4);
      expect(svg).toContain('>CAN_READ</text>');
    }));

  it('draws the colour, icon and caption of a class', () =>
    onPage({ hash: '#/query?q=FIND+host&v=graph' }, async (page) => {
      await page.getByRole('button', { name: 'Colour, icon and caption of Host' }).click();
      const dialog = page.getByRole('dialog', { name: 'Host' });
      await dialog.getByLabel('Colour').fill('#123456');
      await dialog.getByRole('radio', { name: 'server' }).check();
      await dialog.getByLabel('Caption').fill('os');
      await takePicture(page, 'class-style');
      expect(await seriousFaults(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'hidden' });

      const styles = await tested.service.json(200, 'GET', '/v1/class-styles');
      expect(styles).toMatchObject({
        styles: [{ name: 'Host', color: '#123456', icon: 'server', caption: 'os' }],
      });
      await onPage({ hash: '#/query?q=FIND+host&v=graph', colours: 'dark' }, async (other) => {
        await other.getByTitle('Hide').filter({ hasText: 'Host' }).waitFor();
        await other.locator('.dot[style*="rgb(18, 52, 86)"]').waitFor();
        await other.getByRole('button', { name: 'Layers' }).click();
        await takePicture(other, 'class-styled-dark');
        await other.getByRole('button', { name: 'Colour, icon and caption of Host' }).click();
        await other.getByRole('button', { name: 'Default' }).click();
        await other.getByRole('dialog').waitFor({ state: 'hidden' });
      });
      expect(await tested.service.json(200, 'GET', '/v1/class-styles')).toEqual({ count: 0, styles: [] });
    }));

  it('lists the neighbours of an entity by verb and direction, page by page', () =>
    onPage({ hash: '#/query?q=FIND+group+WITH+_key+%3D+%27large%27' }, async (page) => {
      await page.getByRole('gridcell', { name: 'large' }).first().click();
      const details = page.getByRole('complementary', { name: 'Details' });
      await details.getByText('MEMBER_OF').click();
      await details.getByRole('button', { name: 'Load more (50 of 120)' }).click();
      await details.getByRole('button', { name: 'Load more (100 of 120)' }).click();
      await details
        .getByRole('button', { name: /^Member/ })
        .nth(119)
        .waitFor();
      expect(await details.getByRole('button', { name: 'Load more' }).count()).toBe(0);
      expect(await details.getByRole('button', { name: /^Member/ }).count()).toBe(120);
      await takePicture(page, 'neighbours');
    }));

  it.each([
    ['wide', { width: 1280 }],
    ['phone', { width: 390 }],
    ['dark', { width: 1280, colours: 'dark' }],
  ] as const)('draws neighbours by verb and direction with their counts: %s', (name, options) =>
    onPage({ hash: HUB_AND_DATABASE, ...options }, async (page) => {
      await nodes(page, 2);
      await choose(page, 'The hub');
      await actions(page).getByRole('button', { name: 'in MEMBER_OF 20' }).waitFor();
      await takePicture(page, `canvas-groups-${name}`);
      expect(await seriousFaults(page)).toEqual([]);
      await actions(page).getByRole('button', { name: 'in MEMBER_OF 20' }).click();
      await nodes(page, 22);
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByRole('button', { name: 'Show all' }).click();
      await takePicture(page, `canvas-expanded-${name}`);
    }),
  );

  it('keeps room beside open details on a phone', () =>
    onPage({ hash: HUB_AND_DATABASE, width: 390 }, async (page) => {
      await nodes(page, 2);
      await choose(page, 'The hub');
      await actions(page).getByRole('button', { name: 'Details' }).click();
      await page.getByRole('complementary', { name: 'Details' }).waitFor();
      const [canvas, panel] = await Promise.all(
        [page.getByRole('application'), actions(page)].map((part) => part.boundingBox()),
      );
      await takePicture(page, 'canvas-details-phone');
      expect(canvas?.height).toBeGreaterThan(200);
      expect(panel?.height).toBeLessThan((canvas?.height ?? 0) / 3);

      await page.getByRole('button', { name: 'Close the details' }).click();
      await page.getByRole('button', { name: 'Run' }).waitFor();
    }));

  it.each([
    ['wide', { width: 1280 }],
    ['phone', { width: 390 }],
    ['dark', { width: 1280, colours: 'dark' }],
  ] as const)('draws a long path in several lines: %s', (name, options) =>
    onPage({ hash: LONG_PATH, ...options }, async (page) => {
      await nodes(page, 12);
      await takePicture(page, `canvas-path-${name}`);
    }),
  );
});
