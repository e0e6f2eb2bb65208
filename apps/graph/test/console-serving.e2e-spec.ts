import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { browserMissing, describeUnless, openBrowser } from '#testing';
import { openConsole } from './support/console-page.ts';
import { TestService } from './support/test-service.ts';

const describeWithBrowser = describeUnless(await browserMissing());

const BUILT = fileURLToPath(new URL('../../../dist/web/console/', import.meta.url));
const FIRST_LOAD_BYTES_MAX = 300 * 1024;
const KEY = 'k3y-of-the-graph';
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; worker-src 'self' blob:; " +
  "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const assetsOf = (shell: string): string[] =>
  Array.from(shell.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g), ([, path = '']) => path);

describe('the console of a service', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.stop());

  it('is served at / under a content security policy that allows only its own origin', async () => {
    const shell = await service.call('GET', '/');

    expect(shell.status).toBe(200);
    expect(shell.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(shell.headers.get('content-security-policy')).toBe(POLICY);
    expect(shell.headers.get('cache-control')).toBe('no-cache');
    expect(shell.text).not.toMatch(/https?:\/\/|<style|<script>/);
  });

  it('serves immutable assets and a revalidated shell', async () => {
    const shell = await service.call('GET', '/');
    const [path = ''] = assetsOf(shell.text).filter((asset) => asset.endsWith('.js'));
    const asset = await service.call('GET', path);

    const again = (url: string, tag: string | null) =>
      service.call('GET', url, undefined, { 'If-None-Match': `"other", W/${String(tag)}` });
    const repeated = [
      await again('/', shell.headers.get('etag')),
      await again(path, asset.headers.get('etag')),
      await again('/', '"x"'),
    ];

    expect(asset.headers.get('cache-control')).toBe('max-age=31536000, immutable');
    expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(repeated.map(({ status, text }) => [status, text.length > 0])).toEqual([
      [304, false],
      [304, false],
      [200, true],
    ]);
  });

  it.each([
    ['br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['gzip;q=0', null],
    ['identity', null],
  ])('sends an asset to a client that accepts %s in encoding %s', async (accepted, encoding) => {
    const shell = await service.call('GET', '/');
    const [path = ''] = assetsOf(shell.text).filter((asset) => asset.endsWith('.js'));

    const plain = await service.call('GET', path, undefined, { 'Accept-Encoding': 'identity' });
    const asset = await service.call('GET', path, undefined, { 'Accept-Encoding': accepted });

    expect(asset.headers.get('content-encoding')).toBe(encoding);
    expect(asset.headers.get('vary')).toBe('Accept-Encoding');
    expect(asset.text).toBe(plain.text);
  });

  it('loads at most 300 KB, compressed', () => {
    const shell = readFileSync(`${BUILT}index.html`, 'utf8');
    const views = readdirSync(`${BUILT}assets`).filter((name) => /^query-view.*\.(?:js|css)$/.test(name));
    const files = [...assetsOf(shell), ...views.map((name) => `/assets/${name}`)];
    const scripts = new Set(files.flatMap((file) => [file, ...importsOf(file)]));

    const bytes = [...scripts].map((file) => gzipSync(readFileSync(BUILT + file)).length);

    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(FIRST_LOAD_BYTES_MAX);
  });
});

/** The chunks that a script imports statically, recursively. */
function importsOf(file: string): string[] {
  if (!file.endsWith('.js')) return [];
  const text = readFileSync(BUILT + file, 'utf8');
  const names = Array.from(text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g), ([, name = '']) => name);
  return names.flatMap((name) => [`/assets/${name}`, ...importsOf(`/assets/${name}`)]);
}

describeWithBrowser('the console of a service with a key', () => {
  let service: TestService;
  let browser: Browser;

  beforeAll(async () => {
    const environment = { PLEXUS_API_KEY: KEY, PLEXUS_PUBLIC_PAGES: 'on' };
    service = await TestService.start({ environment });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  it('is public, while data requires the key', async () => {
    const paths = ['/', '/v1/schema', '/query', '/assets/nothing.js'];

    const answers = await Promise.all(paths.map((path) => service.call('GET', path)));

    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401, 404]);
  });

  it('prompts for the key, reports a wrong one, keeps it for the tab, and never shows it', async () => {
    const { page, faults } = await openConsole(browser, { url: service.url, hash: '#/query?q=FIND+host' });

    const box = page.getByRole('textbox', { name: 'API key' });
    await box.fill('another');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').filter({ hasText: 'rejected' }).waitFor();
    await box.fill(KEY);
    await page.getByRole('button', { name: 'Continue' }).click();
    await box.waitFor({ state: 'hidden' });
    await page.reload();
    await page.getByRole('button', { name: 'Change the API key' }).waitFor();

    const kept = await page.evaluate<string[]>(
      '[JSON.stringify(sessionStorage), JSON.stringify(localStorage), location.href]',
    );
    expect(kept.map((text) => text.includes(KEY))).toEqual([true, false, false]);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe('a service with a key whose pages are not public', () => {
  it('names the setting that makes them public', async () => {
    const service = await TestService.start({ environment: { PLEXUS_API_KEY: KEY } });
    const html = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

    const page = await service.call('GET', '/', undefined, html);
    const data = await service.call('GET', '/v1/schema', undefined, html);
    const program = await service.call('GET', '/');

    await service.stop();
    expect([page.status, data.status, program.status]).toEqual([401, 401, 401]);
    expect(page.text).toContain('PLEXUS_PUBLIC_PAGES=on');
    expect(data.text).not.toContain('PLEXUS_PUBLIC_PAGES');
    expect(program.text).toBe('{"error":"Unauthorized","message":"missing or invalid API key"}');
  });
});
