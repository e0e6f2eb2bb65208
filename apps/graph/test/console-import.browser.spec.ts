import { afterAll, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { pixelsBeyondScreen, seriousFaults, takePicture } from '#testing';
import { describeWithBrowser, testConsole } from './support/test-console.ts';
import { TestService } from './support/test-service.ts';

const HOSTS = 'hostname,os,cores,owner\nweb-1,linux,8,ann\nweb-2,linux,4,bob\n';

/** What a browser has when a file is dropped; an expression for the page. */
const DROPPED = `(() => {
  const data = new DataTransfer();
  data.items.add(new File(['hostname,os,cores,owner\\nweb-2,bsd,4,bob\\n'], 'hosts.csv'));
  return data;
})()`;

describeWithBrowser('a file on the console', () => {
  let directory: string;
  const tested = testConsole(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-drop-'));
    const service = await TestService.start();
    return service;
  });
  afterAll(async () => {
    await rm(directory, { recursive: true });
  });

  const keysOf = async (pql: string) =>
    (await tested.service.query(pql)).entities.map(({ key }) => key).sort();
  const onSources = (work: (page: Page) => Promise<void>, more: object = {}): Promise<void> =>
    tested.onPage({ hash: '#/sources', ...more }, work);

  async function choose(page: Page, name: string, content: string): Promise<void> {
    const file = join(directory, name);
    await writeFile(file, content);
    await page.getByLabel('File to import').setInputFiles(file);
  }

  it('is shown with its mapping and changes, edited, and written', async () => {
    await onSources(async (page) => {
      await choose(page, 'hosts.csv', HOSTS);
      await page.getByText('nothing is written yet').waitFor();
      expect(await page.getByLabel('Type of the entities').inputValue()).toBe('host');
      expect(await page.getByLabel('owner is').inputValue()).toBe('relationship');
      expect(await keysOf('FIND *')).toEqual([]);
      expect(await seriousFaults(page)).toEqual([]);
      await takePicture(page, 'import-wide');

      await page.getByLabel('Type of the entities').fill('server');
      expect(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByRole('list', { name: 'Imported sources' }).getByText('hosts').waitFor();
    });

    expect(await keysOf('FIND server WITH cores > 4 THAT OWNS << user')).toEqual(['web-1']);
  });

  it('says what is being done with it', () =>
    onSources(async (page) => {
      const [looked, written] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
      await page.route('**/v1/imports', async (route) => {
        const { dry_run: isPreview } = (route.request().postDataJSON() ?? {}) as { dry_run?: boolean };
        await (isPreview === true ? looked.promise : isPreview === false && written.promise);
        await (isPreview === false ? route.abort() : route.continue());
      });
      await choose(page, 'held.csv', HOSTS);
      await page.getByText('Looking at what it changes').waitFor();
      await page.getByRole('progressbar', { name: 'Looking at what it changes' }).waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await takePicture(page, 'import-looking');
      looked.resolve(undefined);
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByRole('progressbar', { name: 'Writing' }).waitFor();
      written.resolve(undefined);
      await page.getByText('The file cannot be imported').waitFor();
      await page.getByRole('progressbar', { name: 'Writing' }).waitFor({ state: 'detached' });
    }));

  it('is dropped on the page, as the next one of its source', async () => {
    await onSources(async (page) => {
      await page.getByRole('list', { name: 'Imported sources' }).waitFor();
      const dropped = await page.evaluateHandle(DROPPED);
      await page.dispatchEvent('main', 'drop', { dataTransfer: dropped });
      await page.getByText('the next file of a known source').waitFor();
      const entities = page.getByRole('row', { name: /^Entities/ });
      expect(await entities.first().textContent()).toMatch(/Entities\s*0\s*1\s*1\s*2/);
      const gone = page.getByRole('group', { name: 'Entities deleted' });
      expect(await gone.getByRole('listitem').allTextContents()).toEqual(['web-1 server', 'ann user']);
      await takePicture(page, 'import-next');
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page
        .getByText('written', { exact: true })
        .or(page.getByText(/^CSV\s+written/))
        .first()
        .waitFor();
    });

    expect(await keysOf('FIND server')).toEqual(['web-2']);
  });

  it('that cannot be read is refused with the reason, and one pasted is read', async () => {
    await onSources(async (page) => {
      await choose(page, 'letter.txt', 'Dear all\nplease find attached');
      await page.getByText('got text without columns').waitFor();
      await choose(page, 'damaged.csv', 'id,os\na,"x\n');
      await page.getByText('a quote is not closed').waitFor();

      await page.getByText('Paste text').click();
      await page.getByLabel('Text to import').fill('{"id":"a"}\n{"id":"b"}');
      await page.getByRole('button', { name: 'Look at it' }).click();
      await page.getByText('NDJSON').first().waitFor();
    });
  });

  it('that was read in part is marked in the list of sources, until it is read whole', async () => {
    const source = { source: 'racks', file_name: 'racks.csv' };
    await tested.service.json(200, 'POST', '/v1/imports', { ...source, content: 'id,os\na,x\nb\n' });
    await onSources(async (page) => {
      await page.getByRole('listitem').filter({ hasText: 'racks' }).getByText('partial').waitFor();
      await takePicture(page, 'import-partial');
    });
    await tested.service.json(200, 'POST', '/v1/imports', { ...source, content: 'id,os\na,x\nb,y\n' });
    await onSources(async (page) => {
      await page.getByRole('listitem').filter({ hasText: 'racks' }).waitFor();
      expect(await page.getByText('partial').count()).toBe(0);
    });
  });

  it.each([
    ['phone', { width: 360, height: 740 }],
    ['dark', { colours: 'dark' as const }],
  ])('fits a screen: %s', async (name, more) => {
    await onSources(async (page) => {
      await choose(page, 'hosts.csv', HOSTS);
      await page.getByText(/nothing is written yet/).waitFor();
      expect(await pixelsBeyondScreen(page)).toBe(0);
      expect(await seriousFaults(page)).toEqual([]);
      await takePicture(page, `import-${name}`);
    }, more);
  });
});
