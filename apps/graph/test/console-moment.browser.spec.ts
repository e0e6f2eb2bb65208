import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { browserMissing, describeUnless, openBrowser, seriousFaults } from '#testing';
import { onConsolePage } from './support/console-page.ts';
import { TestService } from './support/test-service.ts';
import { TurnedClock } from './support/turned-clock.ts';

const describeWithBrowser = describeUnless(await browserMissing());
const HALF_AN_HOUR_MS = 1_800_000;

const SCREENS: readonly [width: number, colours: 'light' | 'dark'][] = [
  [1280, 'light'],
  [1280, 'dark'],
  [360, 'light'],
];

describeWithBrowser('a query as of a moment', () => {
  const clock = new TurnedClock();
  let service: TestService;
  let browser: Browser;
  /** Between the two writes. */
  let moment: string;

  beforeAll(async () => {
    service = await TestService.start({ clock });
    const write = async (key: string): Promise<void> => {
      const entities = [{ type: 'host', key, class: 'Host', properties: {} }];
      await service.json(200, 'POST', '/v1/ingest/write', { entities, relationships: [] });
      clock.turn(HALF_AN_HOUR_MS);
    };
    await write('early');
    moment = new Date(clock.nowMs()).toISOString();
    clock.turn(HALF_AN_HOUR_MS);
    await write('late');
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  it.each(SCREENS)('is part of the address, and ends with Now, %i pixels wide, %s', (width, colours) =>
    onConsolePage(
      browser,
      { url: service.url, width, colours, hash: `#/query?q=FIND+Host+RETURN+_key&t=${moment}` },
      async (page) => {
        const cell = (text: string) => page.getByRole('gridcell', { name: text, exact: true });
        await cell('early').waitFor();
        const field = page.getByLabel('As of');
        const shown = await field.inputValue();

        expect(await cell('late').count()).toBe(0);
        expect(await seriousFaults(page)).toEqual([]);
        await page.getByRole('button', { name: 'Now', exact: true }).click();
        await cell('late').waitFor();
        expect(page.url()).not.toContain('t=');
        await field.fill(shown);
        await field.press('Tab');
        await cell('late').waitFor({ state: 'detached' });
        expect(page.url()).toContain('t=');
      },
    ),
  );
});
