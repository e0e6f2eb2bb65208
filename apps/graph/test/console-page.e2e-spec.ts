/** The page docs/console.md: its first commands give the printed answers, and its addresses open. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { FirstStart } from '#graph/api/http';
import { QueryService } from '#graph/query';
import { browserMissing, describeUnless, openBrowser } from '#testing';
import { welcomeText } from '../src/cli/welcome.ts';
import { openConsole } from './support/console-page.ts';
import { TestService } from './support/test-service.ts';

const describeWithBrowser = describeUnless(await browserMissing());

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = join(ROOT, 'docs/console.md');
const ADDRESS = 'http://127.0.0.1:7700';

describeWithBrowser('the page of the console', () => {
  let service: TestService;
  let browser: Browser;
  let text: string;

  beforeAll(async () => {
    service = await TestService.start({
      environment: { PLEXUS_RULES: join(ROOT, 'rules/starter') },
      firstStart: join(ROOT, 'package-lock.json'),
    });
    browser = await openBrowser();
    text = await readFile(PAGE, 'utf8');
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  it('begins with a command and its output', async () => {
    const [, command, , answer = ''] = text.split('\n').slice(1);
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const { loaded } = service.get(FirstStart);
    if (loaded === undefined) throw new Error('nothing was loaded');
    const welcome = await welcomeText(ADDRESS, loaded, service.get(QueryService));

    expect(command).toBe('    npm start');
    expect(scripts['start']).toContain('--first-start package-lock.json --rules rules/starter');
    expect(welcome.split('\n')).toContain(answer.trim());
  });

  it('shows the reply of the first request (UPDATE_GOLDEN=1 rewrites it)', async () => {
    const [, path = ''] = /curl -s '[^']*:7700([^']*)'/.exec(text) ?? [];
    const answer = await service.call('GET', path);
    const shown = text.replace(/```yaml\n[\s\S]*?```/, () => `\`\`\`yaml\n${answer.text}\`\`\``);

    if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(PAGE, shown);
    else expect(text).toBe(shown);
    expect(answer.status).toBe(200);
  });

  it('has an address and a section for each view', async () => {
    const addresses = Array.from(text.matchAll(/^\| `#\/(\w+)/gm), ([, view = '']) => view);
    const sections = Array.from(text.matchAll(/^## (.+)$/gm), ([, title = '']) => title);
    const { page, faults } = await openConsole(browser, { url: service.url });

    const links = page.getByRole('navigation', { name: 'Views' }).getByRole('link');
    await links.first().waitFor();
    const hashes = await Promise.all((await links.all()).map((link) => link.getAttribute('href')));
    for (const hash of hashes) {
      await page.goto(`${service.url}/${String(hash)}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
    }

    expect(hashes).toEqual(addresses.map((view) => `#/${view}`));
    expect(sections.map((title) => title.split(' ')[0]?.toLowerCase())).toEqual(addresses);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
