import { expect, it } from '@jest/globals';
import { seriousFaults, takePicture } from '#testing';
import { describeWithBrowser, SCREENS, testConsole } from './support/test-console.ts';
import { TestService } from './support/test-service.ts';
import { TurnedClock } from './support/turned-clock.ts';

const HOUR_MS = 3_600_000;
const PAGE = 20;

describeWithBrowser('the changes of an entity', () => {
  const clock = new TurnedClock();
  let id: string;
  const tested = testConsole(async () => {
    const service = await TestService.start({ clock });
    const write = async (connector: string, properties: object): Promise<void> => {
      clock.turn(HOUR_MS);
      const entities = [{ type: 'host', key: 'web', class: 'Host', properties }];
      const body = { connector_id: connector, entities, relationships: [] };
      await service.json(200, 'POST', '/v1/ingest/write', body);
    };
    for (let at = 0; at < PAGE; at++) await write('aws', { load: at, state: 'up' });
    await write('cmdb', { load: PAGE - 1, state: 'down', owner: 'ops' });
    const { entities } = await service.json(200, 'POST', '/v1/query', { pql: 'FIND Host' });
    id = String((entities as readonly { [name: string]: unknown }[])[0]?.['id']);
    return service;
  });

  it.each(SCREENS)(
    'are told the latest first, and lead to their moment, %i pixels wide, %s',
    (width, colours) =>
      tested.onPage({ width, colours, hash: '#/query?q=FIND+Host+AS+h+RETURN+h,+h.state' }, async (page) => {
        await page.getByRole('gridcell', { name: 'down', exact: true }).waitFor();
        await page.getByRole('gridcell', { name: 'web', exact: true }).click({ button: 'right' });
        await page.getByRole('menuitem', { name: 'Details' }).click();
        const changes = page.getByRole('list', { name: 'Changes' });
        const items = changes.getByRole('listitem');
        await items.first().waitFor();
        await items.first().scrollIntoViewIfNeeded();
        await takePicture(page, `timeline-${String(width)}-${colours}`);

        expect(await items.count()).toBe(PAGE);
        const latest = (await items.first().innerText()).replaceAll(/\s+/g, ' ');
        expect(latest).toContain('by cmdb');
        expect(latest).toContain('owner ops');
        expect(latest).toContain('state up → down');
        expect(await seriousFaults(page)).toEqual([]);
        await page.getByRole('button', { name: 'Earlier changes' }).click();
        await items.nth(PAGE).waitFor();
        expect(await items.nth(PAGE).innerText()).toContain('created');
        expect(await page.getByRole('button', { name: 'Earlier changes' }).count()).toBe(0);
        await items.nth(1).getByRole('button').click();
        await page.getByRole('gridcell', { name: 'up', exact: true }).waitFor();
        expect(page.url()).toContain('t=');
        expect(await items.count()).toBe(PAGE + 1);
      }),
  );

  it('lead from the page of the entity to what it was', () =>
    tested.onPage({ hash: `#/entity?id=${id}` }, async (page) => {
      const items = page.getByRole('list', { name: 'Changes' }).getByRole('listitem');
      await items.nth(1).getByRole('button').click();
      await page.getByText('As it was').waitFor();
      expect(page.url()).toContain('t=');
      expect(await items.nth(1).getAttribute('aria-current')).toBe('time');
      // It is told of the later change alone.
      expect(await page.getByRole('definition').filter({ hasText: 'ops' }).count()).toBe(1);
    }));
});
