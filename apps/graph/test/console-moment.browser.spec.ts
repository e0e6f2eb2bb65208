import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { seriousFaults, takePicture } from '#testing';
import { describeWithBrowser, SCREENS, testConsole } from './support/test-console.ts';
import { TestService } from './support/test-service.ts';
import { TurnedClock } from './support/turned-clock.ts';

const HALF_AN_HOUR_MS = 1_800_000;

describeWithBrowser('a query as of a moment', () => {
  const clock = new TurnedClock();
  /** Between the two writes. */
  let moment: string;
  const tested = testConsole(async () => {
    // The clock of the browser is not turned: the writes are before it.
    clock.turn(-2 * HALF_AN_HOUR_MS);
    const service = await TestService.start({ clock });
    const write = async (key: string): Promise<void> => {
      const entities = [{ type: 'host', key, class: 'Host', properties: {} }];
      await service.json(200, 'POST', '/v1/ingest/write', { entities, relationships: [] });
      clock.turn(HALF_AN_HOUR_MS);
    };
    await write('early');
    moment = new Date(clock.nowMs() - HALF_AN_HOUR_MS / 2).toISOString();
    await write('late');
    const body = { type: 'host', key: 'late' };
    const links = [{ from: { type: 'host', key: 'early' }, verb: 'KNOWS', to: body, properties: {} }];
    await service.json(200, 'POST', '/v1/ingest/write', { entities: [], relationships: links });
    return service;
  });

  it.each(SCREENS)('is part of the address, and ends with Now, %i pixels wide, %s', (width, colours) =>
    tested.onPage({ width, colours, hash: `#/query?q=FIND+Host+RETURN+_key&t=${moment}` }, async (page) => {
      const cell = (text: string) => page.getByRole('gridcell', { name: text, exact: true });
      await cell('early').waitFor();
      const field = page.getByLabel('As of', { exact: true });
      const slider = page.getByRole('slider', { name: 'As of, on the history' });
      const shown = await field.inputValue();

      expect(await writtenInField(page)).toMatch(/\d{1,2} \w{3,4} \d{4}, \d{2}:\d{2}/);
      expect(await cell('late').count()).toBe(0);
      expect(await seriousFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Now', exact: true }).click();
      await cell('late').waitFor();
      expect(page.url()).not.toContain('t=');
      expect(await writtenInField(page)).toContain('now');
      await field.fill(shown);
      expect(await writtenInField(page)).toBe('none');
      await field.press('Tab');
      await cell('late').waitFor({ state: 'detached' });
      expect(page.url()).toContain('t=');
      await takePicture(page, `moment-${String(width)}-${colours}`);
      await slider.press('End');
      await cell('late').waitFor();
      expect(page.url()).not.toContain('t=');
      expect(await slider.getAttribute('aria-valuetext')).toBe('now');
      await slider.press('PageDown');
      await page.waitForURL(/t=/);
      expect(await slider.getAttribute('aria-valuetext')).not.toBe('now');
      await slider.press('Home');
      await page.getByText('Nothing was found.').waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await page.reload();
      await page.getByText('Nothing was found.').waitFor();
      await page.goto(`${tested.service.url}/#/query`);
      await page.waitForURL(/t=/);
    }),
  );

  it('says from when on the history goes', () =>
    tested.onPage({ hash: '#/query?q=FIND+Host+RETURN+_key&t=2020-01-01T00:00:00.000Z' }, async (page) => {
      await page.getByText('Beyond history').waitFor();
      await page.getByText('is before the history, which begins with').waitFor();
    }));

  it('holds for the canvas, its questions, and the details', () =>
    tested.onPage({ hash: `#/query?q=FIND+Host&v=graph&t=${moment}` }, async (page) => {
      const size = page.getByRole('status').filter({ hasText: 'relationship' });
      await size.filter({ hasText: '1 node · 0 relationships' }).waitFor();
      await page.getByRole('slider').press('End');
      await size.filter({ hasText: '2 nodes · 1 relationship' }).waitFor();
      await page.goBack();
      await page.goto(`${tested.service.url}/#/query?q=FIND+Host&v=graph&t=${moment}`);
      await size.filter({ hasText: '1 node · 0 relationships' }).waitFor();
      await page.getByRole('searchbox', { name: /node/i }).fill('early');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Expand 0' }).waitFor();
      const details = page.getByRole('complementary', { name: 'Details' });
      await details.getByText('As it was').waitFor();
      await details.getByRole('heading', { name: 'Neighbours 0' }).waitFor();
      await takePicture(page, 'moment-canvas');
    }));

  it('holds for the page of an entity and the form for a path', async () => {
    const { entities } = await tested.service.json(200, 'POST', '/v1/query', { pql: 'FIND Host' });
    const ids = (entities as readonly { [name: string]: unknown }[]).map(({ id }) => String(id));
    await tested.onPage({ hash: `#/entity?id=${ids[1] ?? ''}&t=${moment}` }, async (page) => {
      await page.getByText('it was not there at').waitFor();
      await takePicture(page, 'moment-entity');
      await page.getByRole('button', { name: 'Now', exact: true }).click();
      await page.getByRole('heading', { name: 'Neighbours 1' }).waitFor();
      expect(page.url()).not.toContain('t=');
      const address = `#/path?from=${ids[0] ?? ''}&to=${ids[1] ?? ''}`;
      await page.goto(`${tested.service.url}/${address}`);
      await page.getByRole('slider').press('PageDown');
      await page.waitForURL(/t=/);
      await takePicture(page, 'moment-path');
      await page.getByRole('button', { name: 'Find the path' }).click();
      await page.waitForURL(/#\/query\?.*t=/);
    });
  });

  it('is that of the names by which the ends of a path are found', () =>
    tested.onPage({ hash: `#/path?t=${moment}` }, async (page) => {
      await page.locator('input:focus').waitFor();
      await page.keyboard.type('late');
      await page.getByText('Nothing has it in its name').waitFor();
      await page.getByRole('button', { name: 'Now', exact: true }).click();
      await page.getByLabel('From: a part of a name or key').fill('lat');
      await page.getByRole('option', { name: 'late' }).waitFor();
    }));
});

/** What stands in the date field in place of the browser's own text; `none` while it is edited. */
function writtenInField(page: Page): Promise<string> {
  return page.evaluate<string>("getComputedStyle(document.querySelector('[data-text]'), '::after').content");
}
