import { AxeBuilder } from '@axe-core/playwright';
import chromium from '@sparticuz/chromium';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium as playwright, type Page } from 'playwright-core';

/** The browser sends no requests except to the test's server. */
const ARGUMENTS = [
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** A directory for pictures to look at; unset, none are taken. */
const PICTURES = process.env['CONSOLE_PICTURES'];

let missing: Promise<string | undefined> | undefined;

/** Why {@link openBrowser} fails: a missing system library. */
export function browserMissing(): Promise<string | undefined> {
  missing ??= openBrowser().then(
    async (browser) => {
      await browser.close();
      return undefined;
    },
    (error: unknown) => {
      const [reason = ''] = String(error).split('\n');
      return `no browser, Debian: apt-get install libnss3; ${reason}`;
    },
  );
  return missing;
}

/** Chromium from the npm packages. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = await chromium.executablePath();
  return playwright.launch({ executablePath, args: ARGUMENTS });
}

/** Findings of axe that prevent users from using the page: rule and markup of each. */
export async function seriousFaults(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** The width of a part of a page, in pixels. */
interface Widths {
  readonly scrollWidth: number;
  readonly clientWidth: number;
}

/** By how many pixels the page, or its main part, is wider than the screen: then it scrolls sideways. */
export async function pixelsBeyondScreen(page: Page): Promise<number> {
  const beyond = await page
    .locator('html, main')
    .evaluateAll((parts: readonly Widths[]) =>
      parts.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
    );
  return Math.max(...beyond);
}

/** Takes a picture of the page, if pictures are wanted. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}
