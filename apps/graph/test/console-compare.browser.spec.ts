import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { seriousFaults, takePicture } from '#testing';
import { describeWithBrowser, SCREENS, testConsole } from './support/test-console.ts';
import { TestService } from './support/test-service.ts';
import { TurnedClock } from './support/turned-clock.ts';

const HOUR_MS = 3_600_000;

describeWithBrowser('two dates side by side', () => {
  const clock = new TurnedClock();
  let since: string;
  const tested = testConsole(async () => {
    // The clock of the browser is not turned: the writes are before it.
    clock.turn(-4 * HOUR_MS);
    const service = await TestService.start({ clock });
    const host = (key: string, state: string): object => {
      return { type: 'host', key, class: 'Host', properties: { state } };
    };
    const uses = (key: string, port = 443): object => {
      const [from, to] = [
        { type: 'host', key: 'web' },
        { type: 'host', key },
      ];
      return { from, verb: 'USES', to, properties: { port } };
    };
    const first = { entities: ['web', 'db', 'old'].map((key) => host(key, 'up')) };
    const links = { relationships: [uses('db'), uses('old')] };
    await service.json(200, 'POST', '/v1/ingest/write', { ...first, ...links });
    clock.turn(HOUR_MS);
    since = new Date(clock.nowMs()).toISOString();
    clock.turn(HOUR_MS);
    const later = {
      entities: [host('web', 'down'), host('new', 'up')],
      relationships: [uses('new'), uses('db', 5432)],
      delete: { entities: [{ type: 'host', key: 'old' }], relationships: [] },
    };
    await service.json(200, 'POST', '/v1/ingest/write', later);
    clock.turn(HOUR_MS);
    return service;
  });

  const listed = async (page: Page): Promise<readonly string[]> => {
    const items = page.getByRole('list', { name: 'Changes' }).getByRole('listitem');
    await items.first().waitFor();
    const texts = await items.allInnerTexts();
    return texts.map((text) => text.replaceAll(/\s+/g, ' '));
  };
  const ALL = [
    '+ came: new host',
    '− went: old host',
    '~ changed: web host state up → down',
    '~ changed: web ─USES→ db port 443 → 5432',
    '+ came: web ─USES→ new',
    '− went: web ─USES→ old',
  ];

  it.each(SCREENS)('show on the canvas what came, went and changed, %i pixels wide, %s', (width, colours) =>
    tested.onPage({ width, colours, hash: `#/query?q=FIND+Host&v=graph&f=${since}` }, async (page) => {
      expect(await listed(page)).toEqual(ALL);
      const legend = page.getByRole('list', { name: 'Legend' });
      expect((await legend.innerText()).replaceAll(/\s+/g, ' ')).toBe('+ came 2 − went 2 ~ changed 2');
      await page.getByText('4 nodes · 3 relationships').waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await takePicture(page, `compare-${String(width)}-${colours}`);
      // A comparison is no change of the canvas.
      expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'old', exact: true }).click();
      await page.getByRole('toolbar', { name: 'Selected node' }).waitFor();
      await page.getByRole('button', { name: 'Hide', exact: true }).click();
      await page.getByText('3 nodes · 2 relationships').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('4 nodes · 3 relationships').waitFor();
    }),
  );

  it('show the rows that came and went in the table, and end with the button that began them', () =>
    tested.onPage({ hash: '#/query?q=FIND+Host+RETURN+_key' }, async (page) => {
      const cell = (text: string) => page.getByRole('gridcell', { name: text, exact: true });
      await cell('web').waitFor();
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.waitForURL(/f=/);
      // The beginning of the history: everything has come since.
      await page.getByText('Rows: 3 came, 0 went').waitFor();
      await page.goto(`${tested.service.url}/#/query?q=FIND+Host+RETURN+_key&f=${since}`);
      await cell('− went').waitFor();
      await takePicture(page, 'compare-table');
      expect([await cell('+ came').count(), await cell('− went').count()]).toEqual([1, 1]);
      expect([await cell('new').count(), await cell('old').count(), await cell('web').count()]).toEqual([
        1, 1, 0,
      ]);
      await page.getByRole('button', { name: 'Compare' }).click();
      await cell('web').waitFor();
      expect(page.url()).not.toContain('f=');
    }));

  it('say what is no span of the history', () =>
    tested.onPage({ hash: `#/query?q=FIND+Host&f=${since}&t=2020-01-01T00:00:00.000Z` }, async (page) => {
      await page.getByText('Beyond history').first().waitFor();
      const late = new Date(Date.parse(since) + 1.5 * HOUR_MS).toISOString();
      await page.goto(`${tested.service.url}/#/query?q=FIND+Host&f=${late}&t=${since}`);
      await page.getByText('give the earlier one first').waitFor();
    }));

  it('are part of a saved view, with the places of what went', () =>
    tested.onPage({ hash: `#/query?q=FIND+Host&v=graph&f=${since}` }, async (page) => {
      await page.getByText('4 nodes · 3 relationships').waitFor();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('menuitem', { name: /View/ }).click();
      await page.getByLabel('Name', { exact: true }).fill('Since then');
      await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved the view “Since then”').waitFor();
      await page.evaluate(() => localStorage.clear());
      await page.goto(`${tested.service.url}/#/overview`);
      await page.reload();
      await page.goto(`${tested.service.url}/#/query?s=Since+then`);
      expect(await listed(page)).toEqual(ALL);
      await page.getByText('4 nodes · 3 relationships').waitFor();
      const saved = await tested.service.json(200, 'GET', '/v1/views/Since%20then');
      expect(saved['since']).toBe(since);
    }));
});
