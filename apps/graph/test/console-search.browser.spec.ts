import { expect, it } from '@jest/globals';
import { seriousFaults, takePicture } from '#testing';
import { ESTATE } from './support/estate.ts';
import { describeWithBrowser, testConsole } from './support/test-console.ts';
import { TestService } from './support/test-service.ts';

describeWithBrowser('the search of the console', () => {
  const tested = testConsole(async () => {
    const service = await TestService.start();
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
    return service;
  });

  const { onPage } = tested;

  it('opens an entity by a part of its name, from every view, in two actions', () =>
    onPage({ hash: '#/overview' }, async (page) => {
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('WEB');
      const options = page.getByRole('dialog', { name: 'Search entities' }).getByRole('option');
      await options.filter({ hasText: 'web-02' }).waitFor();
      expect(await options.first().getAttribute('aria-selected')).toBe('true');
      expect(await seriousFaults(page)).toEqual([]);
      await takePicture(page, 'search-wide');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');

      const details = page.getByRole('complementary', { name: 'Details' });
      await details.getByRole('heading', { name: 'web-02' }).waitFor();
      expect(page.url()).toMatch(/#\/entity\?id=[0-9a-f]{32}$/);
      expect(await page.getByRole('dialog').count()).toBe(0);
      await takePicture(page, 'entity-wide');
    }));

  it('opens what is typed by Enter, not what an earlier answer has marked', () =>
    onPage({ hash: '#/overview' }, async (page) => {
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('alice');
      const options = page.getByRole('dialog', { name: 'Search entities' }).getByRole('option');
      await options.filter({ hasText: 'alice' }).waitFor();
      const entered = Promise.withResolvers<undefined>();
      await page.route('**/v1/search*', async (asked) => {
        await entered.promise;
        await asked.continue();
      });
      await page.keyboard.press('Control+A');
      await page.keyboard.type('db-password');
      await page.keyboard.press('Enter');
      entered.resolve(undefined);

      const details = page.getByRole('complementary', { name: 'Details' });
      await details.getByRole('heading', { name: 'db-password' }).waitFor();
    }));

  it('says that nothing has the text, and narrows by type', () =>
    onPage({ hash: '#/saved', width: 390, colours: 'dark' }, async (page) => {
      await page.getByRole('button', { name: 'Search entities' }).click();
      const dialog = page.getByRole('dialog', { name: 'Search entities' });
      await page.keyboard.type('nowhere');
      await dialog.getByText('Nothing has it in its name.').waitFor();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('e');
      await dialog.getByRole('option').first().waitFor();
      await takePicture(page, 'search-phone-dark');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
    }));

  it('finds a path between two entities without a query', () =>
    onPage({ hash: '#/path' }, async (page) => {
      for (const [side, name] of [
        ['From', 'alice'],
        ['To', 'db-password'],
      ] as const) {
        await page.getByRole('combobox', { name: `${side}: a part of a name or key` }).fill(name);
        await page.getByRole('option', { name }).first().click();
      }
      await page.getByRole('radio', { name: 'either way' }).check();
      await takePicture(page, 'path-wide');
      expect(await seriousFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Find the path' }).click();

      await page.getByRole('application', { name: /^Graph/ }).waitFor();
      await page.getByText('1 result').waitFor();
      expect(decodeURIComponent(page.url())).toMatch(/FIND\+SHORTEST\+PATH\+FROM.*v=graph/);
    }));

  it('says that there is no such path, and comes back to the form as it was', () =>
    onPage({ hash: '#/path' }, async (page) => {
      for (const [side, name] of [
        ['From', 'db-password'],
        ['To', 'alice'],
      ] as const) {
        await page.getByRole('combobox', { name: `${side}: a part of a name or key` }).fill(name);
        await page.getByRole('option', { name }).first().click();
      }
      await page.getByRole('radio', { name: /^all shortest paths/ }).check();
      await page.getByRole('spinbutton', { name: /of at most/ }).fill('7');
      await page.getByText('Avoid relationships').click();
      const verb = page.getByRole('group').getByRole('checkbox').first();
      await verb.check();
      await page.getByRole('button', { name: 'Find the path' }).click();
      await page.getByText('There is no such path.').waitFor();
      await takePicture(page, 'path-none-wide');

      for (const back of [() => page.goBack(), () => page.getByRole('link', { name: 'Path' }).click()]) {
        await back();
        await page.getByText('db-password', { exact: true }).waitFor();
        await page.getByText('alice', { exact: true }).waitFor();
        expect(await page.getByRole('radio', { name: /^all shortest paths/ }).isChecked()).toBe(true);
        expect(await page.getByRole('spinbutton', { name: /of at most/ }).inputValue()).toBe('7');
        expect(await verb.isChecked()).toBe(true);
        await page.getByRole('button', { name: 'Find the path' }).click();
        await page.getByText('There is no such path.').waitFor();
      }
    }));

  it('keeps a result, its view and its details while another view is shown', () =>
    onPage({ hash: '#/query?q=FIND+host' }, async (page) => {
      await page.getByRole('row').nth(1).getByRole('gridcell').first().click();
      await page.getByRole('complementary', { name: 'Details' }).waitFor();
      await page.getByRole('button', { name: 'JSON' }).click();
      let isAskedAgain = false;
      page.on('request', (request) => (isAskedAgain ||= request.url().endsWith('/v1/query')));

      await page.getByRole('link', { name: 'Saved' }).click();
      await page.getByRole('heading', { name: 'Saved queries' }).waitFor();
      await page.getByRole('link', { name: 'Query', exact: true }).click();

      await page.getByRole('complementary', { name: 'Details' }).waitFor();
      expect(await page.getByRole('button', { name: 'JSON' }).getAttribute('aria-pressed')).toBe('true');
      expect(page.url()).toContain('q=FIND+host');
      expect(isAskedAgain).toBe(false);
    }));
});
