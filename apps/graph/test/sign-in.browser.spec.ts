/** Pages sign in at a real provider, in a real browser. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Cookie, Page } from 'playwright-core';
import { browserMissing, describeUnless, openBrowser, seriousFaults } from '#testing';
import { TestProvider } from './support/test-provider.ts';
import { TestService } from './support/test-service.ts';

const describeWithBrowser = describeUnless(await browserMissing());

const ROLES = { platform: 'editor', staff: 'viewer' };

describeWithBrowser('the sign-in of pages', () => {
  let directory: string;
  let browser: Browser;
  let provider: TestProvider;
  let service: TestService;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-sign-in-'));
    browser = await openBrowser();
    provider = await TestProvider.start();
    const environment = {
      ...provider.environment(ROLES),
      PLEXUS_AUDIT: join(directory, 'audit.jsonl'),
    };
    service = await TestService.start({ environment });
    provider.serve(service.url);
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
    await provider.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** A new browser, and what its pages have asked for. */
  const opened = async (): Promise<{
    readonly context: BrowserContext;
    readonly page: Page;
    readonly urls: string[];
  }> => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const urls: string[] = [];
    page.on('framenavigated', (frame) => urls.push(frame.url()));
    return { context, page, urls };
  };
  const signIn = async (page: Page, login: string, hash = ''): Promise<void> => {
    await page.goto(`${service.url}/${hash}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Login').fill(login);
    await page.getByRole('button', { name: 'Go' }).click();
    await page.waitForURL(`${service.url}/**`);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  };
  /** Those of the service: browsers keep cookies by host, whatever the port. */
  const cookiesOf = async (context: BrowserContext): Promise<Cookie[]> =>
    (await context.cookies(service.url)).filter(({ name }) => name.startsWith('plexus-'));
  /** The status of a change that the page sends, with its own header or without. */
  const written = (page: Page, headers: Record<string, string>): Promise<number> =>
    page.evaluate(async (own) => {
      const reply = await fetch('/v1/ingest/write', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...own },
        body: '{"entities":[{"type":"host","key":"by a page"}]}',
      });
      return reply.status;
    }, headers);
  const OWN = { 'X-Plexus-Page': '1' };

  it('leads to the provider and back to the view, and ends with the sign-out', async () => {
    provider.groups.set('alice', ['platform']);
    const { context, page, urls } = await opened();

    await page.goto(`${service.url}/#/posture`);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    const faults = await seriousFaults(page);
    await signIn(page, 'alice', '#/posture');
    const returned = page.url();
    const [cookie] = await cookiesOf(context);
    const read = await page.evaluate('document.cookie');
    const statuses = [await written(page, OWN), await written(page, {})];
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    if (cookie !== undefined) await context.addCookies([cookie]);
    const after = await written(page, OWN);
    await context.close();

    expect(faults).toEqual([]);
    expect(returned).toBe(`${service.url}/#/posture`);
    expect(cookie).toMatchObject({ name: 'plexus-session', httpOnly: true, sameSite: 'Lax', secure: false });
    expect(read).toBe('');
    expect([...statuses, after]).toEqual([200, 401, 401]);
    expect(urls.filter((url) => url.startsWith(service.url)).join(' ')).not.toMatch(/code=|token=|state=/);
    const trail = await readFile(join(directory, 'audit.jsonl'), 'utf8');
    expect(trail).toMatch(/"who":"oidc:alice".*"what":"GET \/v1\/sign-in\/callback"/);
    expect(trail).toMatch(/"who":"oidc:alice".*"what":"DELETE \/v1\/session"/);
    expect(trail).not.toContain(cookie?.value.split('.')[1]);
  });

  it('gives what the groups of the user allow at the sign-in', async () => {
    provider.groups.set('bob', ['staff']);
    const first = await opened();
    await signIn(first.page, 'bob');
    const before = await written(first.page, OWN);
    provider.groups.set('bob', ['platform']);
    const second = await opened();
    await signIn(second.page, 'bob');
    const after = await written(second.page, OWN);
    await first.context.close();
    await second.context.close();

    expect([before, after]).toEqual([403, 200]);
  });

  it('says so to a user without a role, and when the provider is away', async () => {
    const { context, page } = await opened();
    await page.goto(`${service.url}/v1/sign-in`);
    await page.getByLabel('Login').fill('mallory');
    await page.getByRole('button', { name: 'Go' }).click();
    await page.getByRole('heading', { name: 'You have no access' }).waitFor();
    const cookies = await cookiesOf(context);
    provider.groups.set('carol', ['platform']);
    const other = await opened();
    await signIn(other.page, 'carol');
    provider.goAway();
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await page.getByRole('heading', { name: 'The provider of identities cannot be reached' }).waitFor();
    const faults = await seriousFaults(page);
    const meanwhile = await written(other.page, OWN);
    provider.comeBack();
    await context.close();
    await other.context.close();

    expect(cookies).toEqual([]);
    expect([meanwhile, faults]).toEqual([200, []]);
  });
});
