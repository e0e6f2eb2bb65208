import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { Secret } from '#platform/foundation';
import type { AdminConfig } from '#proxy/engine';
import { clusterSnapshot, endpointSnapshot, listenerSnapshot, proxySnapshot } from '#proxy/testing';
import {
  browserMissing,
  describeUnless,
  openBrowser,
  pixelsBeyondScreen,
  seriousFaults,
  takePicture,
} from '#testing';
import { TestAdmin } from './support/test-admin.ts';

jest.setTimeout(120_000);

const describeWithBrowser = describeUnless(await browserMissing());

const SCREENS: readonly [width: number, height: number, colours: 'light' | 'dark'][] = [
  [360, 740, 'light'],
  [390, 844, 'dark'],
  [768, 1024, 'light'],
  [1440, 900, 'dark'],
];
const MARKUP = '<img src=x onerror="document.title=1">';
const NAME = 'edge-7';
const TOKEN = 'correct-horse-battery-staple';

const DURATIONS = { buckets: [], count: 9, sumSeconds: 1, p50Ms: 1.25, p90Ms: 20, p99Ms: 300 };
const PASSED = { at: 0, result: 'passed' as const, latencyMs: 1, reason: '', streak: 1 };
const FAILED = { at: 0, result: 'failed' as const, latencyMs: 2, reason: `status 500 ${MARKUP}`, streak: 7 };
const AT = 1_700_000_000_000;
const SNAPSHOT = proxySnapshot({
  uptimeMs: 3_723_000,
  downstreamCxTotal: 1_234_567,
  downstreamCxActive: 12,
  circuitBreakerRejected: 5,
  routeCount: 1,
  listeners: [listenerSnapshot('web', { address: '127.0.0.1:8080', parseErrors: 3 })],
  clusters: [
    clusterSnapshot(MARKUP, {
      endpoints: [
        endpointSnapshot('10.0.0.1:80', { durations: DURATIONS, lastCheck: PASSED }),
        endpointSnapshot('10.0.0.2:80', { healthy: false, lastCheck: FAILED }),
        endpointSnapshot('10.0.0.3:80', { healthy: false, isDisabled: true }),
      ],
    }),
  ],
});
const ROUTE = { index: 0, line: 3, host: '*', prefix: '/', takes: true, reason: 'takes every path' };
const EXPLANATION = {
  listener: 'web',
  host: 'a.example',
  path: '/x',
  routes: [ROUTE],
  route: ROUTE,
  redirect: undefined,
  cluster: {
    name: 'api',
    lbPolicy: 'round_robin',
    endpoint: '10.0.0.1:80',
    reason: 'the next in turn',
    targets: [{ endpoint: '10.0.0.1:80', address: '10.0.0.1:80', isAvailable: true, reason: 'healthy' }],
  },
};

describeWithBrowser('the page /admin/ui', () => {
  let admin: TestAdmin;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  let asked: string[];

  const start = async (parts: Partial<AdminConfig> = {}): Promise<void> => {
    admin = await TestAdmin.scripted({ admin: { extensions: true, name: NAME, ...parts } });
    admin.source.current = SNAPSHOT;
  };
  const open = async (hash = '', options: Parameters<Browser['newContext']>[0] = {}) => {
    page = await (await browser.newContext({ reducedMotion: 'reduce', ...options })).newPage();
    page.on('console', (message) => {
      if (!message.text().includes('Failed to load resource')) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${admin.url}/admin/ui${hash}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };

  beforeEach(() => {
    [complaints, asked] = [[], []];
  });
  afterEach(async () => {
    expect(complaints).toEqual([]);
    await page.context().close();
    await admin.stop();
  });
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('shows the state of the proxy, and sends no request to other hosts', async () => {
    await start();
    await open();

    const text = await page.locator('body').innerText();
    for (const part of [
      NAME,
      'LIVE',
      'up 1 h 2 min',
      '1.2M accepted',
      '1 of 3',
      '3 malformed',
      '10.0.0.1:80',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).toContain('1.3 / 20 / 300');
    expect(text).toContain('failed in 2 ms, 7 in a row: status 500');
    expect(text).toContain('disabled');
    const others = asked.filter((url) => !url.startsWith(`${admin.url}/admin/assets/`));
    expect(others.sort()).toEqual([
      `${admin.url}/admin/ui`,
      `${admin.url}/admin/v1/about`,
      `${admin.url}/admin/v1/events?snapshots=true&history=true`,
    ]);
  });

  it('renders data as text, never as markup', async () => {
    await start();
    await open();

    expect(await page.locator('h3').innerText()).toBe(MARKUP);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toBe(`${NAME} · Now · Plexus proxy`);
  });

  it('never shows an unchecked endpoint as healthy', async () => {
    await start();
    const endpoints = [
      endpointSnapshot('10.0.0.1:80', { healthy: true }),
      endpointSnapshot('10.0.0.2:80', { healthy: true, lastCheck: PASSED }),
    ];
    admin.source.current = proxySnapshot({ clusters: [clusterSnapshot('api', { endpoints })] });
    await open();

    const marks = await page.locator('tbody .mark').all();
    const kinds = await Promise.all(marks.map((mark) => mark.getAttribute('class')));
    const cluster = await page.getByRole('region', { name: 'api' }).innerText();

    expect(kinds.map((names) => /\b(good|warn|bad|none)\b/.exec(names ?? '')?.[0])).toEqual(['none', 'good']);
    expect(cluster).toContain('1 of 2 healthy, 1 not checked');
    expect(await page.locator('b.good').count()).toBe(0);
  });

  it('follows the proxy without a reload of the page', async () => {
    await start();
    await open();
    const endpoint = await page.getByRole('row', { name: '10.0.0.2:80' }).elementHandle();

    const [cluster] = SNAPSHOT.clusters;
    const endpoints = cluster!.endpoints.map((own) => ({
      ...own,
      healthy: true,
      isDisabled: false,
      lastCheck: PASSED,
      activeRequests: 4,
    }));
    admin.source.current = { ...SNAPSHOT, clusters: [{ ...cluster!, endpoints: endpoints.slice(1) }] };
    await page.getByText('2 of 2 healthy').first().waitFor();

    const same = await page.getByRole('row', { name: '10.0.0.2:80' }).elementHandle();
    expect(await page.evaluate(([a, b]) => a === b, [endpoint, same])).toBe(true);
    expect(await page.getByRole('row', { name: '10.0.0.1:80' }).count()).toBe(0);
  });

  it('describes each kind of event, including earlier ones', async () => {
    await start();
    const where = { at: AT, cluster: 'api', address: 'a:1' };
    const target = '10.0.0.1:1';
    admin.source.emit({ type: 'endpoint_health', ...where, target, healthy: false, reason: 'status 500' });
    admin.source.emit({ type: 'endpoint_ejected', ...where, target, untilMs: AT, reason: '5 bad answers' });
    await open();

    admin.source.emit({ type: 'endpoint_returned', ...where, target });
    admin.source.emit({ type: 'endpoint_switched', ...where, isEnabled: false });
    admin.source.emit({ type: 'endpoint_resolved', ...where, targets: [], fault: 'ENOTFOUND' });
    const breaker = { cluster: 'api', limit: 'max_requests', max: 8, rejected: 2 } as const;
    admin.source.emit({ type: 'breaker_tripped', at: AT, ...breaker });
    admin.source.emit({ type: 'config_reload', at: AT, result: 'rejected', faults: ['a.yaml:1:1: no'] });
    admin.source.emit({ type: 'server_state', at: AT, state: 'DRAINING' });
    await page.getByText('the proxy is DRAINING').waitFor();

    const told = await page.getByRole('list', { name: 'Events' }).locator('.text').allInnerTexts();
    expect(told.toReversed().map((text) => text.replace(/\d\d:\d\d:\d\d/, 'TIME'))).toEqual([
      'api a:1 (10.0.0.1:1) is not healthy: status 500',
      'api a:1 (10.0.0.1:1) is ejected until TIME: 5 bad answers',
      'api a:1 (10.0.0.1:1) has returned from its ejection',
      'api a:1 was disabled',
      'api a:1 cannot be resolved: ENOTFOUND',
      'api rejects requests: max_requests of 8 reached, 2 rejected',
      'configuration rejected: a.yaml:1:1: no',
      'the proxy is DRAINING',
    ]);
  });

  it('filters events by text and kind, endpoints by text and state, and keeps the filters in its address', async () => {
    await start();
    const where = { at: AT, cluster: 'api', target: '10.0.0.1:1' };
    for (const address of ['a:1', 'b:1']) {
      admin.source.emit({ type: 'endpoint_health', ...where, address, healthy: true, reason: 'ok' });
      admin.source.emit({ type: 'endpoint_health', ...where, address, healthy: false, reason: 'status 500' });
    }
    await open('#/now?show=problems');
    const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
    await events.first().waitFor();

    const problems = await events.count();
    await page.getByLabel('Filter events').fill('b:1');
    const ofOne = await events.count();
    await page.getByLabel('State of endpoints').selectOption('failing');

    expect([problems, ofOne]).toEqual([2, 1]);
    expect(await page.locator('tbody .address').allInnerTexts()).toEqual(['10.0.0.2:80']);
    expect(new URL(page.url()).hash).toBe('#/now?show=problems&events=b%3A1&state=failing');
  });

  it('disables an endpoint by keyboard after a confirmation, and reports the result of a reload', async () => {
    await start();
    admin.source.endpoints.add(`${MARKUP} 10.0.0.1:80`);
    admin.source.reloadResult = { result: 'rejected', faults: ['proxy.yaml:3:1: unknown key'] };
    await open();

    await page.getByRole('button', { name: 'Disable 10.0.0.1:80' }).press('Enter');
    const asksFirst = admin.source.orders.length;
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).press('Enter');
    await page.getByRole('status').filter({ hasText: 'was disabled' }).waitFor();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('alert').filter({ hasText: 'proxy.yaml:3:1: unknown key' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    expect(asksFirst).toBe(0);
    expect(admin.source.orders).toEqual([`disable ${MARKUP} 10.0.0.1:80`, 'reload']);
  });

  it('prompts for the token when a change requires it, and then drains', async () => {
    await start({ token: new Secret(TOKEN) });
    await open();

    await page.getByRole('button', { name: 'Drain' }).click();
    await page.getByRole('button', { name: 'Drain and end' }).click();
    await page.getByRole('textbox', { name: 'Admin token' }).fill(TOKEN);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('The proxy is draining').waitFor();

    expect(await admin.ended).toBe('request');
    expect(admin.source.orders).toEqual(['drain']);
  });

  it('offers no change when none is accepted', async () => {
    await start({ readOnly: true });
    await open();

    await page.getByText('read only').waitFor();

    expect(await page.getByRole('button', { name: /Drain|Reload|Disable/ }).count()).toBe(0);
  });

  it('explains a request by a form, and keeps the request in its address', async () => {
    await start();
    admin.source.explanation = EXPLANATION;
    await open('#/explain');

    await page.getByLabel('Host').fill('a.example');
    await page.getByLabel('Path').fill('/x');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('forwards it to the cluster api, endpoint 10.0.0.1:80').waitFor();
    admin.source.explanation = undefined;
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByRole('alert').filter({ hasText: 'no listener for a.example/x' }).waitFor();

    expect(new URL(page.url()).hash).toBe('#/explain?host=a.example&path=%2Fx');
  });

  it.each(SCREENS)(
    'fits a screen of %d by %d, %s, without serious axe findings',
    async (width, height, colours) => {
      await start();
      admin.source.explanation = EXPLANATION;
      admin.source.emit({ type: 'config_reload', at: AT, result: 'rejected', faults: ['a.yaml:1:1: no'] });
      const serious: unknown[] = [];
      const beyond: unknown[] = [];
      for (const hash of ['#/now', '#/explain?host=a.example&path=%2Fx']) {
        await open(hash, { viewport: { width, height }, colorScheme: colours });
        await page
          .getByText(hash === '#/now' ? 'configuration rejected' : 'forwards it to the cluster')
          .waitFor();
        serious.push(...(await seriousFaults(page)));
        await takePicture(page, `proxy-${hash.slice(2, 9)}-${width}-${colours}`);
        beyond.push(await pixelsBeyondScreen(page));
        if (hash === '#/now') await page.context().close();
      }

      expect(serious).toEqual([]);
      expect(beyond).toEqual([0, 0]);
    },
  );

  it('reports a lost connection to the proxy', async () => {
    await start();
    await open();

    await admin.stop();

    await page.getByText('connection lost').waitFor();
    admin = await TestAdmin.scripted();
  });

  it('shows a thousand endpoints', async () => {
    await start();
    const endpoints = Array.from({ length: 1_000 }, (_, i) =>
      endpointSnapshot(`10.0.${i >> 8}.${i & 255}:80`, { lastCheck: PASSED }),
    );
    admin.source.current = proxySnapshot({ clusters: [clusterSnapshot('large', { endpoints })] });

    await open();

    await page.getByText('1000 of 1000 healthy').first().waitFor();
    expect(await page.locator('tbody .place').count()).toBe(1_000);
  });
});
