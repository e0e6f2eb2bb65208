/** Every view of the console on a phone, wide and dark: nothing is cut, and nothing is hard to read. */
import { afterAll, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { firstPartyConnectors, readConnector } from '#graph/connector';
import { NodeDisk } from '#platform/disk';
import { pixelsBeyondScreen, seriousFaults, takePicture } from '#testing';
import { ESTATE } from './support/estate.ts';
import { describeWithBrowser, testConsole } from './support/test-console.ts';
import { TestService } from './support/test-service.ts';

const SCREENS: readonly [name: string, width: number, height: number, colours: 'light' | 'dark'][] = [
  ['phone', 390, 844, 'light'],
  ['dark', 1_440, 900, 'dark'],
];
const RULES = [
  { id: 'edr', name: 'Hosts without EDR', severity: 'high', query: 'FIND host THAT !PROTECTS edr_agent' },
  { id: 'mfa', name: 'Users without MFA', severity: 'critical', query: 'FIND user WITH mfa_enabled = false' },
];
const LONG = 'a-name-that-does-not-end-because-it-was-generated-by-a-machine-of-some-provider.internal';

describeWithBrowser('every view of the console', () => {
  let directory: string;
  let hostId: string;

  const tested = testConsole(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-screens-'));
    const demo = readConnector('connector: synthetic', 'demo.yaml', {
      types: firstPartyConnectors(new NodeDisk()),
      environment: {},
    });
    const service = await TestService.start({
      connectors: [demo],
      environment: { PLEXUS_AUDIT: join(directory, 'audit.jsonl') },
    });
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
    const properties = { arn: `arn:aws:${LONG}:${LONG}`, seen: '2026-11-22T00:00:00Z', note: LONG.repeat(5) };
    await service.json(200, 'POST', '/v1/ingest/write', {
      connector_id: 'inventory-of-the-data-centre',
      entities: [{ type: 'host', key: LONG, class: 'Host', properties }],
      relationships: [
        { from: { type: 'host', key: LONG }, verb: 'CONNECTS', to: { type: 'host', key: 'web-01' } },
      ],
    });
    await service.json(200, 'POST', '/v1/policies', { rules: RULES });
    await service.json(200, 'POST', '/v1/policies/evaluate', {});
    await service.json(200, 'PUT', '/v1/queries/Hosts%20of%20an%20owner', {
      text: 'FIND host WITH owner = $owner',
      description: 'Hosts, with all that is known of them.',
      parameters: { owner: { type: 'string', default: 'alice' } },
    });
    const { entities } = await service.query("FIND host WITH _key = 'web-01'");
    hostId = String(entities[0]?.['id']);
    return service;
  });
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  const graphOf = (page: Page) => page.getByRole('application', { name: /^Graph/ }).waitFor();
  const cell = (page: Page, name: string) => page.getByRole('gridcell', { name }).first();
  /** The address of each, and what is waited for or done there. */
  const views = (): readonly [name: string, hash: string, ready: (page: Page) => Promise<unknown>][] => [
    ['start', '#/query', (page) => page.getByRole('textbox', { name: 'PQL' }).waitFor()],
    ['table', '#/query?q=FIND+host', (page) => cell(page, 'web-01').waitFor()],
    ['details', '#/query?q=FIND+host', (page) => cell(page, LONG).click()],
    ['graph', '#/query?q=FIND+host+THAT+RUNS+service&v=graph', graphOf],
    ['json', '#/query?q=FIND+host&v=json', (page) => page.getByText('display_name').first().waitFor()],
    ['fault', '#/query?q=FIND+hst+WITH', (page) => page.getByRole('alert').first().waitFor()],
    ['entity', `#/entity?id=${hostId}`, (page) => page.getByRole('heading', { name: 'web-01' }).waitFor()],
    ['path', '#/path', (page) => page.getByRole('combobox').first().waitFor()],
    ['saved', '#/saved', (page) => page.getByText('Hosts of an owner').first().waitFor()],
    ['saved-query', '#/saved?name=Hosts+of+an+owner', (page) => page.getByText('$owner').first().waitFor()],
    ['posture', '#/posture', (page) => page.getByText('Hosts without EDR').first().waitFor()],
    ['rule', '#/posture?rule=edr', (page) => page.getByText('web-02').first().waitFor()],
    ['findings', '#/findings', (page) => page.getByText('web-02').first().waitFor()],
    ['sources', '#/sources', (page) => page.getByText('demo').first().waitFor()],
    ['statements', `#/sources?entity=${hostId}`, (page) => page.getByText('us-east-1').first().waitFor()],
    ['notifications', '#/notifications', (page) => page.waitForLoadState('networkidle')],
    ['overview', '#/overview', (page) => page.getByText('Host', { exact: true }).first().waitFor()],
    ['audit', '#/audit', (page) => page.getByText('/v1/ingest/write').first().waitFor()],
    ['keys', '#/overview', (page) => page.keyboard.press('?')],
    ['search', '#/overview', (page) => page.keyboard.press('/').then(() => page.keyboard.type('web'))],
  ];

  it.each(SCREENS)('fits its screen and is readable: %s', async (screen, width, height, colours) => {
    const faults: unknown[] = [];
    for (const [name, hash, ready] of views()) {
      await tested.onPage({ hash, width, height, colours }, async (page) => {
        await page.getByRole('main').waitFor();
        await ready(page);
        await page.waitForLoadState('networkidle');
        await takePicture(page, `screen-${name}-${screen}`);
        const serious = await seriousFaults(page);
        const beyond = await pixelsBeyondScreen(page);
        if (serious.length > 0 || beyond > 0) faults.push([name, serious, beyond]);
      });
    }

    expect(faults).toEqual([]);
  });

  it('draws a button that cannot be pressed as such, also that of the main action', () =>
    tested.onPage({ hash: '#/path' }, async (page) => {
      await page.getByRole('button', { name: 'Find the path', disabled: true }).waitFor();
      await page.getByRole('button', { name: 'Swap the ends', disabled: true }).waitFor();
      const colours = await page.evaluate<readonly string[]>(
        "[...document.querySelectorAll('form .row .button:disabled')].map((one) => getComputedStyle(one).backgroundColor)",
      );

      expect(colours).toHaveLength(2);
      expect(new Set(colours).size).toBe(1);
    }));
});
