import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { seriousFaults, takePicture } from '#testing';
import { ESTATE } from './support/estate.ts';
import { describeWithBrowser, testConsole } from './support/test-console.ts';
import { TestService } from './support/test-service.ts';

const HOSTS = '#/query?q=FIND+host';
const STIX = {
  connector_id: 'stix',
  sync_id: 'stix-1',
  entities: [
    {
      type: 'intrusion-set',
      key: 'G0016',
      class: 'ThreatActor',
      display_name: 'APT29',
      properties: {
        url: 'https://attack.mitre.org/groups/G0016',
        script: 'javascript:alert(1)',
        description: 'a long text '.repeat(60),
        ...Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`x_mitre_field_${at}`, `value ${at}`])),
      },
    },
  ],
  relationships: [],
};

describeWithBrowser('the table and the pages of the console', () => {
  const tested = testConsole(async () => {
    const service = await TestService.start();
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
    await service.json(200, 'POST', '/v1/ingest/sync', STIX);
    return service;
  });

  const { onPage } = tested;

  const headers = (page: Page) =>
    page.getByRole('grid', { name: 'Result' }).getByRole('columnheader').allTextContents();

  it.each([
    ['wide', {}],
    ['phone', { width: 390 }],
    ['dark', { colours: 'dark' }],
  ] as const)('shows the chosen columns in the chosen order: %s', (name, options) =>
    onPage({ hash: HOSTS, ...options }, async (page) => {
      await page.getByText('Columns').click();
      const list = page.getByRole('group', { name: 'Columns' });
      await list.getByRole('checkbox', { name: 'class', exact: true }).uncheck();
      await list.getByRole('button', { name: 'Move key to the left' }).click();
      await takePicture(page, `columns-${name}`);
      expect(await seriousFaults(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await list.waitFor({ state: 'hidden' });

      const [, first, second, third, fourth] = (await headers(page)).map((text) => text.trim());
      expect([first, second, third]).toEqual(['key', 'type', 'display_name']);
      expect(fourth).not.toBe('class');
    }),
  );

  it('shows the rows with a text, and copies cell, row and all', () =>
    onPage({ hash: HOSTS }, async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
      const grid = page.getByRole('grid', { name: 'Result' });
      await grid.getByRole('gridcell', { name: 'web-02' }).first().waitFor();
      await page.getByRole('searchbox', { name: 'Filter the rows' }).fill('WEB-0');
      await grid.getByRole('gridcell', { name: 'db-01' }).first().waitFor({ state: 'hidden' });
      const cell = grid.getByRole('gridcell', { name: 'web-01' }).first();
      await cell.click({ button: 'right' });
      const menu = page.getByRole('menu', { name: 'Actions for row 1' });
      await takePicture(page, 'table-menu');
      expect(await seriousFaults(page)).toEqual([]);
      await menu.getByRole('menuitem', { name: 'Copy the cell' }).click();
      expect(await copied()).toBe('web-01');
      await page.getByRole('button', { name: 'Actions for row 1' }).click();
      await menu.getByRole('menuitem', { name: 'Copy the row' }).click();
      expect(await copied()).toMatch(/^type\tkey\tdisplay_name\tclass[^\n]*\nhost\tweb-01\t[^\n]*$/);
      await page.getByRole('button', { name: 'Actions for row 1' }).click();
      await menu.getByRole('menuitem', { name: 'Copy all' }).click();
      const lines = (await copied()).split('\n');
      expect(lines.length).toBeGreaterThan(2);
      expect(lines.slice(1).every((line) => line.includes('web-0'))).toBe(true);
    }));

  it('shows the entity of a row in the graph', () =>
    onPage({ hash: HOSTS }, async (page) => {
      await page.getByRole('button', { name: 'Actions for row 1' }).click();
      await page.getByRole('menuitem', { name: 'Show in graph' }).click();

      await page.getByRole('application', { name: /^Graph/ }).waitFor();
      await page
        .getByRole('status')
        .filter({ hasText: /^\s*1 node/ })
        .waitFor();
    }));

  it.each([
    ['wide', {}],
    ['phone', { width: 390, colours: 'dark' }],
  ] as const)('shows details with links, folded texts and a search: %s', (name, options) =>
    onPage({ hash: '#/query?q=FIND+ThreatActor', ...options }, async (page) => {
      await page.getByRole('gridcell', { name: 'APT29' }).first().click();
      const details = page.getByRole('complementary', { name: 'Details' });
      const link = details.getByRole('link', { name: 'https://attack.mitre.org/groups/G0016' });
      expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
      expect(await details.getByRole('link', { name: 'javascript' }).count()).toBe(0);
      await takePicture(page, `details-${name}`);
      expect(await seriousFaults(page)).toEqual([]);
      await details.getByRole('searchbox', { name: 'Search the properties' }).fill('field_7');
      await link.waitFor({ state: 'hidden' });
      await details.getByRole('definition').filter({ hasText: 'value 7' }).waitFor();
      await page.keyboard.press('Escape');
    }),
  );

  it('offers values inside quotes', () =>
    onPage({ hash: '#/query' }, async (page) => {
      const editor = page.getByRole('textbox', { name: 'PQL' });
      await editor.focus();
      await page.keyboard.type("FIND host WITH os = 'li");
      // By the mouse: the editor takes no Enter in the first moments of a list.
      await page.getByRole('option', { name: "'linux'" }).click();
      await page.getByText("FIND host WITH os = 'linux'", { exact: true }).first().waitFor();
    }));

  it('lists the shortcuts', () =>
    onPage({ hash: '#/overview' }, async (page) => {
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('search entities').waitFor();
      await takePicture(page, 'shortcuts');
      expect(await seriousFaults(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }));

  it('finds a path that avoids a class', () =>
    onPage({ hash: '#/path' }, async (page) => {
      for (const [side, name] of [
        ['From', 'web-01'],
        ['To', 'db-01'],
      ] as const) {
        await page.getByRole('combobox', { name: `${side}: a part of a name or key` }).fill(name);
        await page.getByRole('option', { name }).first().click();
      }
      await page.getByRole('radio', { name: 'either way' }).check();
      await page.getByText('Avoid classes').click();
      await page.getByRole('checkbox', { name: 'Agent' }).check();
      await takePicture(page, 'path-classes');
      await page.getByRole('button', { name: 'Find the path' }).click();

      await page.getByRole('application', { name: /^Graph/ }).waitFor();
      // The shorter way leads through an agent that protects both.
      await page
        .getByRole('status')
        .filter({ hasText: /^\s*4 nodes/ })
        .waitFor();
    }));
});
