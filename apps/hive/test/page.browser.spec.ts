import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import {
  browserMissing,
  describeUnless,
  openBrowser,
  pixelsBeyondScreen,
  seriousFaults,
  takePicture,
} from '#testing';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';
import { histogramOf } from './support/test-rows.ts';
import { FAULTY_SCENARIO, OPEN_SCENARIO, SCENARIO } from './support/test-scenario.ts';

const describeWithBrowser = describeUnless(await browserMissing());

jest.setTimeout(120_000);

const SCREENS: readonly [width: number, colours: 'light' | 'dark'][] = [
  [360, 'light'],
  [390, 'dark'],
  [1440, 'dark'],
];
const ASSETS = fileURLToPath(new URL('../../../dist/web/hive/assets/', import.meta.url));

describeWithBrowser('the page of a hive', () => {
  let browser: Browser;
  let hive: TestHive;
  let page: Page;
  let faults: string[];
  const edges: TestEdge[] = [];

  beforeAll(async () => {
    browser = await openBrowser();
  });
  beforeEach(async () => {
    hive = await TestHive.start();
    faults = [];
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    for (const edge of edges.splice(0)) await edge.crash();
    await hive.remove();
    expect(faults).toEqual([]);
  });
  afterAll(() => browser.close());

  const connect = async (): Promise<TestEdge> => {
    const edge = await TestEdge.connect('edge-1', { address: hive.grpcAddress });
    edges.push(edge);
    return edge;
  };
  /** A Running run whose edge has sent transactions. */
  const running = async (): Promise<{ edge: TestEdge; runId: string }> => {
    const edge = await connect();
    const { run_id: runId } = await hive.begin(SCENARIO);
    await hive.hive.runs.active[0]?.effects.idle();
    await edge.has('start');
    edge.progress('running', { planned: 100, sent: 100, included: 90, rejected: 10 });
    return { edge, runId };
  };
  const ended = async (): Promise<string> => {
    const { edge, runId } = await running();
    const [active] = hive.hive.runs.active;
    edge.progress('done', {});
    await active?.effects.ended;
    await edges.pop()?.crash();
    return runId;
  };

  /** Opens the page at a hash, and runs `work` in it. */
  async function inPage(
    hash: string,
    work: () => Promise<void>,
    { width = 1280, colours = 'light' }: { width?: number; colours?: 'light' | 'dark' } = {},
  ): Promise<void> {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme: colours,
      reducedMotion: 'reduce',
    });
    page = await context.newPage();
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
        faults.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(hive.url)) faults.push(`asked for ${request.url()}`);
    });
    await page.goto(`${hive.url}/${hash}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await work();
    await context.close();
  }

  it('shows the active run with its edges, sent transactions and failures by class', async () => {
    await running();

    await inPage('', async () => {
      const edge = page.getByRole('row', { name: /edge-1/ });
      await edge.filter({ hasText: '100' }).waitFor();
      const heading = await page.getByRole('heading', { level: 1 }).innerText();
      const sections = await page.getByRole('heading', { level: 2 }).allInnerTexts();

      expect(heading).toBe(SCENARIO.name);
      expect(sections).toEqual([
        'The last minute',
        'Edges of the run',
        'Errors by class, the last minute',
        'Latency, ms',
      ]);
    });
  });

  it('draws the rate of the last minute with axes', async () => {
    const { edge } = await running();

    await inPage('', async () => {
      let sent = 100;
      const chart = page.locator('figure').first().locator('svg[viewBox]');
      while ((await chart.count()) === 0) {
        sent += 100;
        edge.progress('running', { planned: sent, sent, included: sent });
        await Promise.race([chart.waitFor(), page.waitForResponse(/\/recent$/)]);
      }

      expect(await chart.textContent()).toContain('seconds of the run');
      expect(await chart.textContent()).toContain('tx/s');
      expect(await page.locator('figcaption').first().innerText()).toMatch(
        /planned.*sent.*included.*rejected/s,
      );
    });
  });

  it('changes the rate in a dialog, which keeps a refused value and its reason', async () => {
    const edge = await connect();
    const { run_id: runId } = await hive.begin(OPEN_SCENARIO);
    await hive.until(runId, ({ target_rate: rate }) => rate !== null);
    edge.progress('running', { planned: 100, sent: 100, included: 100 });

    await inPage('', async () => {
      await page.getByText('100 tx/s planned').waitFor();
      await page.getByRole('button', { name: 'Change the rate' }).click();
      const dialog = page.getByRole('dialog', { name: `Rate of ${OPEN_SCENARIO.name}` });
      const field = dialog.getByRole('spinbutton');
      await field.fill('2000000');
      await dialog.getByRole('button', { name: 'Change', exact: true }).click();
      await dialog.getByText('expected a number from 0 to 1000000').waitFor();
      const refused = await hive.run(runId);
      const serious = await seriousFaults(page);
      await field.fill('250');
      await dialog.getByRole('button', { name: 'Change', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText(/^250 tx\/s from .* UTC on$/).waitFor();

      expect([refused.rate_changes, serious]).toEqual([[], []]);
    });

    expect((await hive.run(runId)).rate_changes).toMatchObject([{ rate: 250 }]);
  });

  it('shows each fault of a scenario at its line, and starts a run once it is valid', async () => {
    await inPage('#/start', async () => {
      const editor = page.getByRole('textbox', { name: 'Scenario' });
      await editor.fill(FAULTY_SCENARIO);
      const list = page.getByRole('list', { name: 'Faults' });
      await list.getByText('accounts.count').waitFor();
      const places = await list.getByRole('button').allInnerTexts();
      await page.locator('.cm-lint-marker-error').first().waitFor();
      const isOffered = await page.getByRole('button', { name: 'Start' }).isEnabled();
      await editor.fill(JSON.stringify(SCENARIO));
      await page.getByText('Ready to start').waitFor();
      await page.getByRole('button', { name: 'Start' }).press('Enter');
      await page.getByRole('heading', { level: 1, name: SCENARIO.name }).waitFor();

      expect([places.includes('5:20'), isOffered]).toEqual([true, false]);
      expect(page.url()).toContain(`#/run?id=${hive.hive.runs.active[0]?.run.runId ?? ''}`);
    });
  });

  it('drains and aborts a run after confirmation', async () => {
    const { edge, runId } = await running();

    await inPage('', async () => {
      await page.getByRole('button', { name: 'Drain' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Drain' }).click();
      await edge.has('drain');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Abort' }).press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Abort' }).press('Enter');
      await edge.has('abort');
      await page.getByRole('region', { name: 'Verdict' }).waitFor();

      expect((await hive.run(runId)).status).toBe('Failed');
    });
  });

  it('lists runs with their verdicts, and compares two', async () => {
    const first = await ended();
    const second = await ended();

    await inPage('#/runs', async () => {
      const rows = page.getByRole('row').filter({ hasText: SCENARIO.name });
      await rows.nth(1).waitFor();
      const verdicts = await rows.locator('td:nth-child(3)').allInnerTexts();
      for (const id of [first, second]) await page.getByRole('checkbox', { name: id }).check();
      await page.getByRole('button', { name: 'Compare two' }).click();
      await page.getByRole('heading', { name: 'What differs in the scenarios' }).waitFor();

      expect(verdicts.join(' ')).toMatch(/Passed|Failed|Inconclusive/);
      expect(new URL(page.url()).hash).toBe(`#/compare?base=${first}&head=${second}`);
    });
  });

  it('shows the rate, percentiles and duration of a finished run, in the list and on its page', async () => {
    const { edge, runId } = await running();
    const [active] = hive.hive.runs.active;
    edge.progress('done', { sent: 100 }, { intended_feed: histogramOf(100_000, 250_000) });
    await active?.effects.ended;

    await inPage('#/runs', async () => {
      const row = page.getByRole('row').filter({ hasText: runId });
      await row.waitFor();
      const texts = await row.locator('td').allInnerTexts();
      await row.getByRole('link', { name: SCENARIO.name }).click();
      const latency = page.getByRole('row').filter({ hasText: 'feed latency' }).first();
      await latency.waitFor();
      const heads = await page.getByRole('columnheader').allInnerTexts();

      expect(texts[5]).toMatch(/^100/);
      expect(texts[6]).toMatch(/^25\d/);
      expect(texts[7]).toMatch(/s$/);
      expect((await latency.innerText()).replace(/\s+/g, ' ')).toMatch(/feed latency 100\S* 250/);
      expect(heads).not.toContain('p50, a minute');
      expect(await page.getByText('Nothing was measured').count()).toBe(0);
    });
  });

  it('starts a finished run again from its scenario, and deletes it after confirmation', async () => {
    const runId = await ended();

    await inPage('#/runs', async () => {
      await page.getByRole('link', { name: `Run again: ${runId}` }).click();
      const editor = page.getByRole('textbox', { name: 'Scenario' });
      await editor.getByText(SCENARIO.name).first().waitFor();
      await page.getByText('Ready to start').waitFor();
      await page.goto(`${hive.url}/#/runs`);
      await page.getByRole('button', { name: `Delete ${runId}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('None yet.').waitFor();

      expect(hive.hive.list(10)).toMatchObject({ runs: [] });
    });
  });

  it.each(SCREENS)('fits %d px, %s, without serious axe violations in any view', async (width, colours) => {
    await ended();
    await running();
    for (const hash of ['#/run', '#/runs', '#/start', '#/compare', '#/edges']) {
      await inPage(
        hash,
        async () => {
          await page.getByText('live', { exact: true }).waitFor({ state: 'attached' });
          const serious = await seriousFaults(page);
          const beyond = await pixelsBeyondScreen(page);
          await takePicture(page, `hive-${hash.slice(2)}-${width}-${colours}`);

          expect([hash, serious, beyond]).toEqual([hash, [], 0]);
        },
        { width, colours },
      );
    }
  });

  it('loads at most 300 KiB of compressed assets', () => {
    const names = readdirSync(ASSETS).filter((name) => /\.(?:js|css)$/.test(name));

    const bytes = names.map((name) => gzipSync(readFileSync(ASSETS + name)).length);

    expect(names.length).toBeGreaterThan(5);
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(300 * 1_024);
  });
});
