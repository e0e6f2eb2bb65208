import { expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';

/** A console in a browser, with its errors. */
export interface OpenConsole {
  readonly page: Page;
  /** Script errors, requests to other origins, and violations of the content security policy. */
  readonly faults: readonly string[];
}

export interface ConsoleOptions {
  readonly url: string;
  /** The part of the address from `#` on. */
  readonly hash?: string;
  readonly width?: number;
  readonly height?: number;
  readonly colours?: 'light' | 'dark';
}

/** What a browser reports of requests that a test makes fail, and of its own driver. */
const NO_FAULTS = ['Failed to load resource', 'GL Driver'];

export async function openConsole(browser: Browser, options: ConsoleOptions): Promise<OpenConsole> {
  const { url, hash = '', width = 1280, height = 800, colours = 'light' } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: colours,
    reducedMotion: 'reduce',
    acceptDownloads: true,
  });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    const text = message.text();
    const isOfPage = message.type() === 'error' && !NO_FAULTS.some((each) => text.includes(each));
    if (isOfPage) faults.push(text);
  });
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(url) || /^(?:blob|data):/.test(request.url());
    if (!isOwn) faults.push(`asked for ${request.url()}`);
  });
  await page.goto(`${url}/${hash}`);
  return { page, faults };
}

/** Runs the work on a page of its own, and expects no error of the page. */
export async function onConsolePage(
  browser: Browser,
  options: ConsoleOptions,
  work: (page: Page) => Promise<void>,
): Promise<void> {
  const { page, faults } = await openConsole(browser, options);
  await work(page);
  expect(faults).toEqual([]);
  await page.context().close();
}
