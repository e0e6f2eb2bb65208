import { AxeBuilder } from '@axe-core/playwright';
import chromium from '@sparticuz/chromium';
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
