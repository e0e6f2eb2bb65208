import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { clusterSnapshot, endpointSnapshot, listenerSnapshot, proxySnapshot } from '#proxy/testing';
import { openBrowser } from '#testing';
import { TestAdmin } from './support/test-admin.ts';

const browser = await openBrowser();
const describeWithBrowser = browser === undefined ? skippedLoudly : describe;
const MARKUP = '<img src=x onerror="document.title=1">';

const DURATIONS = { buckets: [], count: 9, sumSeconds: 1, p50Ms: 1.25, p90Ms: 20, p99Ms: 300 };
const CHECK = { at: 0, result: 'failed' as const, latencyMs: 2, reason: `status 500 ${MARKUP}`, streak: 7 };
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
        endpointSnapshot('10.0.0.1:80', { durations: DURATIONS }),
        endpointSnapshot('10.0.0.2:80', { healthy: false, lastCheck: CHECK }),
        endpointSnapshot('10.0.0.3:80', { healthy: false, isDisabled: true }),
      ],
    }),
  ],
});

describeWithBrowser('the page /admin/ui', () => {
  let admin: TestAdmin;
  let page: Page;
  let complaints: string[];
  let asked: string[];

  beforeEach(async () => {
    admin = await TestAdmin.scripted({ admin: { extensions: true } });
    admin.source.current = SNAPSHOT;
    page = await (await browser!.newContext()).newPage();
    [complaints, asked] = [[], []];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => asked.push(request.url()));
  });
  afterEach(async () => {
    await page.context().close();
    await admin.stop();
  });
  afterAll(() => browser?.close());

  const open = async (): Promise<void> => {
    await page.goto(`${admin.url}/admin/ui`);
    await page.locator('#state.good').waitFor();
  };

  it('shows the state of the proxy, and asks nobody else', async () => {
    await open();

    const text = await page.locator('body').innerText();
    for (const part of ['LIVE', 'up 1 h 2 min', '1.2M accepted', '1 of 3', '3 malformed', '10.0.0.1:80']) {
      expect(text).toContain(part);
    }
    expect(text).toContain('1.3 / 20 / 300');
    expect(text).toContain('failed in 2 ms, 7 in a row: status 500');
    expect(text).toContain('disabled');
    expect(asked).toEqual([`${admin.url}/admin/ui`, `${admin.url}/admin/v1/events?snapshots=true`]);
    expect(complaints).toEqual([]);
  });

  it('takes what it is told for text, never for markup', async () => {
    await open();

    expect(await page.locator('h3').innerText()).toBe(MARKUP);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toBe('Plexus proxy');
  });

  it('follows the proxy without being loaded again', async () => {
    await open();
    const endpoint = await page.locator('.endpoint', { hasText: '10.0.0.2:80' }).elementHandle();

    const [cluster] = SNAPSHOT.clusters;
    const endpoints = cluster!.endpoints.map((own) => ({ ...own, healthy: true, activeRequests: 4 }));
    admin.source.current = { ...SNAPSHOT, clusters: [{ ...cluster!, endpoints: endpoints.slice(1) }] };
    await page.getByText('2 of 2 healthy').waitFor();

    const same = await page.locator('.endpoint', { hasText: '10.0.0.2:80' }).elementHandle();
    expect(await page.evaluate(([a, b]) => a === b, [endpoint, same])).toBe(true);
    expect(await page.locator('.endpoint', { hasText: '10.0.0.1:80' }).count()).toBe(0);
  });

  it('tells each kind of event in words', async () => {
    await open();
    const at = 1_700_000_000_000;
    const where = { at, cluster: 'api', address: 'a:1' };
    const target = '10.0.0.1:1';

    admin.source.emit({ type: 'endpoint_health', ...where, target, healthy: false, reason: 'status 500' });
    admin.source.emit({ type: 'endpoint_ejected', ...where, target, untilMs: at, reason: '5 bad answers' });
    admin.source.emit({ type: 'endpoint_returned', ...where, target });
    admin.source.emit({ type: 'endpoint_switched', ...where, isEnabled: false });
    admin.source.emit({ type: 'endpoint_resolved', ...where, targets: [], fault: 'ENOTFOUND' });
    admin.source.emit({
      type: 'breaker_tripped',
      at,
      cluster: 'api',
      limit: 'max_requests',
      max: 8,
      rejected: 2,
    });
    admin.source.emit({ type: 'config_reload', at, result: 'rejected', faults: ['a.yaml:1:1: no'] });
    admin.source.emit({ type: 'server_state', at, state: 'DRAINING' });
    await page.getByText('the proxy is DRAINING').waitFor();

    const told = await page.locator('#events li span').allInnerTexts();
    expect(told.toReversed().map((text) => text.replace(/\d\d:\d\d:\d\d/, 'TIME'))).toEqual([
      'api a:1 (10.0.0.1:1) is not healthy: status 500',
      'api a:1 (10.0.0.1:1) is ejected until TIME: 5 bad answers',
      'api a:1 (10.0.0.1:1) is back from its ejection',
      'api a:1 was disabled',
      'api a:1 cannot be resolved: ENOTFOUND',
      'api refuses requests: max_requests of 8 reached, 2 refused',
      'configuration rejected: a.yaml:1:1: no',
      'the proxy is DRAINING',
    ]);
    expect(complaints).toEqual([]);
  });

  it.each([
    [390, 844],
    [768, 1024],
    [1440, 900],
  ])('fits a screen of %d by %d', async (width, height) => {
    await page.setViewportSize({ width, height });
    await open();

    const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');

    expect(beyond).toBe(0);
  });

  it('says when it has lost the proxy', async () => {
    await open();

    await admin.stop();

    await page.getByText('connection lost').waitFor();
    admin = await TestAdmin.scripted();
  });

  it('has room for a thousand endpoints', async () => {
    const endpoints = Array.from({ length: 1_000 }, (_, i) =>
      endpointSnapshot(`10.0.${i >> 8}.${i & 255}:80`),
    );
    admin.source.current = proxySnapshot({ clusters: [clusterSnapshot('large', { endpoints })] });

    await open();

    await page.getByText('1000 of 1000 healthy').waitFor();
    expect(await page.locator('.cards .endpoint:not(.head)').count()).toBe(1_000);
  });
});

function skippedLoudly(name: string): void {
  it(`${name}: SKIPPED, there is no browser`, () => {
    expect(browser).toBeUndefined();
  });
}
