import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { defineConnector, firstPartyConnectors, readConnector } from '#graph/connector';
import type { RuleResult } from '#graph/policy';
import { NodeDisk } from '#platform/disk';
import { pixelsBeyondScreen, seriousFaults } from '#testing';
import type { ConsoleOptions } from './support/console-page.ts';
import { describeWithBrowser, testConsole } from './support/test-console.ts';
import { TestService } from './support/test-service.ts';

const ROOT = join(import.meta.dirname, '../../..');
const DEMO = readConnector('connector: synthetic', 'demo.yaml', {
  types: firstPartyConnectors(new NodeDisk()),
  environment: {},
});
const gate = Promise.withResolvers<undefined>();
const GATED = readConnector('connector: gated', 'gated.yaml', {
  types: [
    defineConnector({
      name: 'gated',
      about: 'a source that takes its time',
      config: {},
      steps: () => [{ id: 'only', emits: { entities: ['site'] }, run: () => gate.promise }],
    }),
  ],
  environment: {},
});
const VIEWS = ['saved', 'posture', 'sources', 'overview'];

describeWithBrowser('the views of the console', () => {
  const tested = testConsole(async () => {
    const service = await TestService.start({
      environment: { PLEXUS_RULES: join(ROOT, 'rules/starter') },
      firstStart: join(ROOT, 'package-lock.json'),
      connectors: [DEMO, GATED],
    });
    await service.policies.idle();
    return service;
  });

  const inConsole = (
    hash: string,
    work: (page: Page) => Promise<void>,
    more: Partial<ConsoleOptions> = {},
  ): Promise<void> => tested.onPage({ hash, ...more }, work);

  it('show the data of a first start', async () => {
    await inConsole('#/overview', async (page) => {
      const classes = page.getByRole('list', { name: 'Entities by class' });
      await classes.getByRole('link', { name: /Package/ }).waitFor();

      expect(await classes.getByRole('link').count()).toBe(3);
      expect(await page.getByText('of the rules that had data pass').count()).toBe(1);
      await page.getByRole('table').getByRole('link').first().waitFor();
    });
  });

  it('show the findings of an entity', async () => {
    const { results } = await tested.service.json(200, 'POST', '/v1/policies/evaluate', {});
    const found = (results as readonly RuleResult[]).find(({ violations }) => violations.length > 0);
    const [violation] = found?.violations ?? [];
    await inConsole(`#/query?q=FIND+*+WITH+_id+%3D+'${String(violation?.entity_id)}'`, async (page) => {
      await page.getByRole('row').nth(1).getByRole('gridcell').first().click();
      const details = page.getByRole('complementary', { name: 'Details' });
      await details.getByRole('link', { name: found?.name ?? '' }).click();

      await page.getByRole('heading', { name: found?.name ?? '' }).waitFor();
    });
  });

  it('list the saved queries, which run on one click', async () => {
    await inConsole('', async (page) => {
      const saved = page.getByRole('navigation', { name: 'Saved queries' });
      await saved.getByRole('link', { name: /What breaks if rxjs is bad/ }).click();
      await page.getByRole('status').filter({ hasText: 'results' }).waitFor();
      await page
        .getByText(/^nestjs-pino@/)
        .first()
        .waitFor();

      expect(page.url()).toContain('#/query?q=FIND+BLAST+RADIUS');
    });
  });

  it('save a query, show the position of an error, and confirm a deletion', async () => {
    await inConsole('#/saved?text=FIND%20npm_package%20WITH', async (page) => {
      await page.getByLabel('Name', { exact: true }).fill('One package');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').filter({ hasText: 'PQL_SYNTAX' }).waitFor();
      await page.getByRole('textbox', { name: 'PQL' }).fill('FIND npm_package WITH name = $name');
      await page.getByLabel('Default of $name').fill('rxjs');
      await page.getByLabel('Tags, separated by commas').fill('mine, packages');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'One package' }).waitFor();
      const kept = await tested.service.json(200, 'GET', '/v1/queries/One%20package');
      const link = await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href');
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('button', { name: 'Delete for everybody' }).click();
      await page.getByText('Deleted “One package”').waitFor();
      const gone = await tested.service.call('GET', '/v1/queries/One%20package');

      expect(kept).toMatchObject({
        tags: ['mine', 'packages'],
        parameters: { name: { type: 'string', default: 'rxjs' } },
      });
      expect(link).toBe('#/query?q=FIND+npm_package+WITH+name+%3D+%24name&p=%7B%22name%22%3A%22rxjs%22%7D');
      expect(gone.status).toBe(404);
    });
  });

  it('find saved queries by text and tag, and export and import them as files', async () => {
    await inConsole('#/saved', async (page) => {
      const names = page.getByRole('list', { name: 'Saved queries' }).getByRole('link');
      await names.filter({ hasText: 'What breaks if rxjs is bad' }).waitFor();
      await page.getByRole('combobox', { name: 'Tag' }).selectOption('licences');
      const tagged = await names.count();
      await page.getByRole('combobox', { name: 'Tag' }).selectOption('');
      await page.getByRole('searchbox').fill('blast RADIUS');
      const found = await names.count();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export' }).click(),
      ]);
      const file = await readFile(await download.path(), 'utf8');
      const more = `${file}  - name: From a file\n    text: FIND license\n`;
      await page.getByLabel('File of queries').setInputFiles({
        name: 'more.yaml',
        mimeType: 'application/yaml',
        buffer: Buffer.from(more),
      });
      await page.getByText('more.yaml: 1 added, 0 changed').waitFor();
      await page.getByLabel('File of queries').setInputFiles({
        name: 'bad.yaml',
        mimeType: 'application/yaml',
        buffer: Buffer.from('queries: [{nam: x}]'),
      });
      await page.getByRole('alert').filter({ hasText: 'unknown key "nam"' }).waitFor();

      expect([tagged, found, download.suggestedFilename()]).toEqual([1, 1, 'queries.yaml']);
      expect((await tested.service.call('GET', '/v1/queries/From%20a%20file')).status).toBe(200);
    });
  });

  it.each([
    ['#/saved?name=gone', 'There is no such query', { name: 'Delete', exact: true }],
    ['#/posture?rule=gone', 'There is no such rule', { name: 'Close', exact: true }],
  ] as const)('say that %s names nothing, instead of showing another', async (address, title, button) => {
    await inConsole(address, async (page) => {
      await page.getByText(title).waitFor();

      expect(await page.getByText('gone', { exact: true }).count()).toBe(1);
      expect(await page.getByRole('button', button).count()).toBe(0);
    });
  });

  it('open a saved query with its parameters, and save from the query view', async () => {
    await inConsole('#/saved?name=What+breaks+if+rxjs+is+bad', async (page) => {
      await page.getByRole('link', { name: 'Open', exact: true }).click();
      await page.getByText('@nestjs/core').first().waitFor();
      const value = await page.getByRole('textbox', { name: '$package' }).inputValue();
      const address = page.url();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Query …' }).click();
      const dialog = page.getByRole('dialog', { name: 'Save the query' });
      const text = await dialog.getByRole('textbox', { name: 'PQL' }).inputValue();

      expect([value, new URLSearchParams(address.split('?')[1]).get('p')]).toEqual([
        'rxjs',
        '{"package":"rxjs"}',
      ]);
      expect(text).toContain('BLAST RADIUS');
    });
  });

  it('show the posture, its history and the evidence of a finding, and evaluate on request', async () => {
    await inConsole('#/posture', async (page) => {
      await page.getByRole('button', { name: /^No data \d+$/ }).click();
      const withoutData = await page.locator('button.rule').count();
      await page.getByRole('button', { name: /^Fail \d+$/ }).click();
      await page.getByRole('button', { name: /weak copyleft/ }).click();
      const finding = page.getByRole('list', { name: 'Findings' }).getByRole('button').first();
      await finding.click();
      const proof = page.getByRole('link', { name: 'Open the proof as query' });
      await proof.waitFor();
      await page.getByText('LICENSED_UNDER', { exact: true }).waitFor();
      const proofLink = await proof.getAttribute('href');
      const drawn = await page.getByRole('link', { name: 'Show in graph' }).getAttribute('href');
      const before = await tested.service.json(200, 'GET', '/v1/policies/posture/history');
      await page.getByRole('button', { name: 'Evaluate now' }).click();
      await page.getByText(/^Evaluated 31 rules in/).waitFor();
      const after = await tested.service.json(200, 'GET', '/v1/policies/posture/history');
      await page.locator('figure svg').waitFor();

      expect(withoutData).toBeGreaterThan(10);
      expect(proofLink).toMatch(/^#\/query\?q=FIND\+Package\+AS\+found.*&p=/);
      expect(drawn).toBe(`${String(proofLink)}&v=graph`);
      expect(after['count']).toBe(Number(before['count']) + 1);
      expect(await page.getByRole('row', { name: /3\.3/ }).innerText()).toContain('No data');
    });
  });

  it('run a connector, follow its progress, and show the sources of an entity', async () => {
    await inConsole('#/sources?connector=demo', async (page) => {
      await page.getByRole('button', { name: 'Run now' }).click();
      await page.getByRole('row', { name: /complete/ }).waitFor();
      const steps = await page.getByRole('list', { name: 'Steps', exact: true }).innerText();
      await page.getByRole('textbox', { name: 'Id, key or name of an entity' }).fill('MIT');
      await page.keyboard.press('Enter');
      await page.getByText('priority 0, since').waitFor();

      expect(steps).toMatch(/First[\s\S]*hosts[\s\S]*Then[\s\S]*owns/);
      expect(await page.getByText('sbom', { exact: true }).count()).toBeGreaterThan(1);
      expect(await page.getByRole('row', { name: /display_name/ }).innerText()).toContain('MIT');
    });
  });

  it('follow a run although answers are lost', async () => {
    await inConsole('#/sources?connector=gated', async (page) => {
      let lost = 0;
      await page.route(/\/v1\/connectors\/runs\//, (look) => (lost++ === 0 ? look.abort() : look.continue()));
      await page.getByRole('button', { name: 'Run now' }).click();
      await page.getByRole('alert').filter({ hasText: 'does not answer' }).waitFor();
      const label = await page.getByRole('button', { name: 'Running' }).count();
      gate.resolve(undefined);
      await page.getByRole('row', { name: /complete/ }).waitFor();

      expect([label, await page.getByRole('alert').count()]).toEqual([1, 0]);
    });
  });

  it.each(VIEWS)('have no serious accessibility violation: %s', async (view) => {
    for (const colours of ['light', 'dark'] as const) {
      await inConsole(
        `#/${view}`,
        async (page) => {
          await page.waitForLoadState('networkidle');

          expect(await seriousFaults(page)).toEqual([]);
        },
        { colours },
      );
    }
  });

  it.each(VIEWS)('fit a width of 360 pixels: %s', async (view) => {
    await inConsole(
      `#/${view}`,
      async (page) => {
        await page.waitForLoadState('networkidle');

        expect(await pixelsBeyondScreen(page)).toBe(0);
      },
      { width: 360, height: 740 },
    );
  });
});
