import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

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
