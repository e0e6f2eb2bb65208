import { afterAll, beforeAll } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { browserMissing, describeUnless, openBrowser } from '#testing';
import { type ConsoleOptions, onConsolePage } from './console-page.ts';
import type { TestService } from './test-service.ts';

export const describeWithBrowser = describeUnless(await browserMissing());

/** Wide, in both colours, and a phone. */
export const SCREENS: readonly [width: number, colours: 'light' | 'dark'][] = [
  [1280, 'light'],
  [1280, 'dark'],
  [360, 'light'],
];

/** The console of a service in a browser, for all tests of a block. */
class TestConsole {
  readonly #parts: { browser?: Browser; service?: TestService } = {};

  async start(start: () => Promise<TestService>): Promise<void> {
    this.#parts.browser = await openBrowser();
    this.#parts.service = await start();
  }

  async stop(): Promise<void> {
    await this.#parts.browser?.close();
    await this.#parts.service?.stop();
  }

  get service(): TestService {
    const { service } = this.#parts;
    if (service === undefined) throw new Error('expected a service, which is there while tests run');
    return service;
  }

  get browser(): Browser {
    const { browser } = this.#parts;
    if (browser === undefined) throw new Error('expected a browser, which is there while tests run');
    return browser;
  }

  /** Runs the work on a page of its own, by default of the service, and expects no error of the page. */
  readonly onPage = (
    options: Omit<ConsoleOptions, 'url'> & { readonly url?: string },
    work: (page: Page) => Promise<void>,
  ): Promise<void> => onConsolePage(this.browser, { url: this.service.url, ...options }, work);
}

/** Starts before the tests of the block that calls it, and stops after them. */
export function testConsole(start: () => Promise<TestService>): TestConsole {
  const console = new TestConsole();
  beforeAll(() => console.start(start));
  afterAll(() => console.stop());
  return console;
}
