import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

/** A browser of a test asks nobody but the test's server. */
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

/** The Chromium of the packages; undefined, and a word on standard error, where it lacks a system library. */
export async function openBrowser(): Promise<Browser | undefined> {
  try {
    const executablePath = await chromium.executablePath();
    return await playwright.launch({ executablePath, args: ARGUMENTS });
  } catch (error) {
    const [reason = ''] = String(error).split('\n');
    process.stderr.write(`SKIPPED what needs a browser (Debian: apt-get install libnss3): ${reason}\n`);
    return undefined;
  }
}
