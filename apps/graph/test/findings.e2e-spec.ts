/** Findings of all rules over REST, and what people decide about them. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entityId } from '#graph/model';
import { GRAPH_ACCESS } from '#platform/auth';
import { keysOfRoles, secretOf } from '#testing';
import { ESTATE } from './support/estate.ts';
import { Receiver } from './support/receiver.ts';
import { bodyOf, type Json, TestService } from './support/test-service.ts';
import { TurnedClock } from './support/turned-clock.ts';

const DAY_MS = 86_400_000;
const RULES = [
  { id: 'edr', name: 'Hosts, without EDR', severity: 'high', query: 'FIND host THAT !PROTECTS edr_agent' },
  { id: 'mfa', severity: 'critical', query: 'FIND user WITH mfa_enabled = false' },
];
const WEB_02 = `edr:${entityId('host', 'web-02')}`;
const BOB = `mfa:${entityId('user', 'bob')}`;

/** Queries and what is said of them. */
const FAULTS: readonly (readonly [query: string, message: string])[] = [
  ['severity=worst', 'severity: expected one or more of critical, high, medium, low, info'],
  ['state=open,closed', 'state: expected one or more of open, waived, accepted'],
  ['opened_since=yesterday', 'opened_since: expected an age such as 24h or 7d, a day, or an RFC 3339'],
  ['opened_before=2026-02-31', 'opened_before: expected'],
  ['sort=age', 'sort: expected one of'],
  ['limit=0', 'limit: expected a whole number from 1 to 1000'],
  ['offset=-1', 'offset: expected a whole number from 0'],
  ['format=xml', 'format: expected one of json, csv, sarif'],
  ['state=open&state=waived', 'state: expected one text'],
];

const pathOf = (id: string, part: string): string => `/v1/findings/${encodeURIComponent(id)}/${part}`;
const as = (role: string): Record<string, string> => ({ Authorization: `Bearer ${secretOf(role)}` });

describe('findings over REST', () => {
  let directory: string;
  let service: TestService;
  let clock: TurnedClock;

  const start = async (environment: Record<string, string>): Promise<void> => {
    service = await TestService.start({ directory: join(directory, 'data'), clock, environment });
  };
  const waiver = (days: number, more: object = {}): object => ({
    state: 'waived',
    reason: 'a lab, until May',
    until: new Date(clock.nowMs() + days * DAY_MS).toISOString(),
    ...more,
  });
  const decide = (id: string, body: object, role = 'admin'): Promise<Json> =>
    service.json(200, 'PUT', pathOf(id, 'decision'), body, as(role));
  const list = (query = ''): Promise<Json> =>
    service.json(200, 'GET', `/v1/findings${query}`, undefined, as('viewer'));
  const statusOf = async (...call: Parameters<TestService['call']>): Promise<number> =>
    (await service.call(...call)).status;

  async function startWithRules(environment: Record<string, string> = {}): Promise<void> {
    const keys = join(directory, 'keys.yaml');
    await writeFile(keys, keysOfRoles(GRAPH_ACCESS));
    await start({ PLEXUS_KEYS: keys, PLEXUS_AUDIT: join(directory, 'audit.jsonl'), ...environment });
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE, as('admin'));
    await service.json(200, 'POST', '/v1/policies', { rules: RULES }, as('admin'));
    await service.json(200, 'POST', '/v1/policies/evaluate', {}, as('admin'));
  }

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-findings-'));
    clock = new TurnedClock();
  });
  afterEach(async () => {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('are decided with the permission for policies, under the name of the key, with an audit line', async () => {
    await startWithRules();

    const decided = await decide(WEB_02, waiver(7), 'editor');
    const refused = await statusOf('PUT', pathOf(BOB, 'decision'), waiver(7), as('viewer'));
    const asked = '/v1/audit?who=editor&what=decision/';
    const { events } = await service.json(200, 'GET', asked, undefined, as('admin'));

    expect(decided).toMatchObject({ state: 'waived', waiver: { by: 'editor', reason: 'a lab, until May' } });
    expect(refused).toBe(403);
    expect((events as readonly unknown[])[0]).toMatchObject({
      what: 'PUT /v1/findings/:id/decision',
      target: `policy decision/${WEB_02}`,
      outcome: 'done',
    });
  });

  it('keep decisions and assignments over a restart', async () => {
    await startWithRules();
    await decide(WEB_02, waiver(7));
    await service.json(200, 'PUT', pathOf(BOB, 'assignment'), { assignee: 'carol' }, as('editor'));
    await service.stop();

    await start({ PLEXUS_KEYS: join(directory, 'keys.yaml') });

    expect(await list()).toMatchObject({
      count: 3,
      states: { open: 2, waived: 1, accepted: 0 },
      assignees: ['carol'],
    });
    expect(await list('?assignee=carol')).toMatchObject({ count: 1, findings: [{ finding_id: BOB }] });
  });

  it('are reported when a waiver has ended, also while the service was down, and not while it holds', async () => {
    const receiver = await Receiver.start();
    const notifications = join(directory, 'notifications.yaml');
    await writeFile(
      notifications,
      `channels: { ops: { type: webhook, url: "${receiver.url}", allow_private: [127.0.0.1] } }
notifications: [{ on: opened, rule: edr, to: ops }]\n`,
    );
    await startWithRules({ PLEXUS_NOTIFICATIONS: notifications });
    await receiver.story.until(({ message }) => message.event === 'opened');
    await decide(WEB_02, waiver(2));
    await service.policies.posture();
    await service.json(200, 'POST', '/v1/policies/evaluate', {}, as('admin'));
    await service.stop();
    clock.turn(3 * DAY_MS);

    await start({ PLEXUS_KEYS: join(directory, 'keys.yaml'), PLEXUS_NOTIFICATIONS: notifications });
    await receiver.story.until(({ message }) => message.count === 1);

    const labels = receiver.story.entries.map(({ message }) => message.findings.map(({ label }) => label));
    expect(labels).toEqual([['host web-02', 'host win-01'], ['host web-02']]);
    expect(await list('?opened_since=2d&state=open')).toMatchObject({
      count: 1,
      findings: [{ finding_id: WEB_02, lapsed: { why: 'expired' } }],
    });
    await receiver.stop();
  });

  it('evaluate their rule when they are waived, so that its last run is not an old one', async () => {
    await startWithRules();

    await decide(WEB_02, waiver(7));
    let evaluations: readonly Json[] = [];
    while (evaluations[0]?.['trigger'] !== 'decision') {
      const reply = await service.json(200, 'GET', '/v1/policies/evaluations', undefined, as('viewer'));
      evaluations = reply['evaluations'] as readonly Json[];
    }

    expect(evaluations[0]).toMatchObject({ total: 1, waived: 1, new_count: 0 });
  });

  it('are exported as CSV and SARIF, as they are filtered', async () => {
    await startWithRules();
    await decide(WEB_02, waiver(7, { reason: 'a "lab", not\nin use' }));

    const csv = await service.call('GET', '/v1/findings?rule=edr&format=csv', undefined, as('viewer'));
    const sarif = await service.call('GET', '/v1/findings?q=bob&format=sarif', undefined, as('viewer'));

    const [head, first] = csv.text.split('\r\n');
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="findings.csv"');
    expect(head).toMatch(/^severity,state,finding,class,rule_id,rule,opened_at,/);
    expect(first).toMatch(/^high,waived,host web-02,Host,edr,"Hosts, without EDR",/);
    expect(csv.text).toContain('"a ""lab"", not\nin use",admin,');
    expect(csv.text.split('\r\n')).toHaveLength(4);
    expect(sarif.headers.get('content-type')).toMatch(/^application\/sarif\+json/);
    expect(bodyOf(sarif)).toMatchObject({ runs: [{ results: [{ ruleId: 'mfa', level: 'error' }] }] });
  });

  it('are paged, in an order', async () => {
    await startWithRules();

    const pages = await Promise.all(
      ['0', '1', '2', '3'].map((offset) => list(`?sort=label&order=desc&limit=1&offset=${offset}`)),
    );

    const labels = pages.map(({ findings }) => (findings as readonly Json[]).map(({ label }) => label));
    expect(labels).toEqual([['user bob'], ['host win-01'], ['host web-02'], []]);
  });

  it('refuse filters with faults', async () => {
    await startWithRules();

    for (const [query, message] of FAULTS) {
      const reply = await service.json(400, 'GET', `/v1/findings?${query}`, undefined, as('viewer'));
      expect([query, reply]).toEqual([
        query,
        expect.objectContaining({ error: 'INVALID_REQUEST', message: expect.stringContaining(message) }),
      ]);
    }
  });

  it('refuse a decision with a fault, and one about nothing', async () => {
    await startWithRules();
    const put = async (id: string, part: string, body: object) => {
      const answer = await service.call('PUT', pathOf(id, part), body, as('editor'));
      return [answer.status, bodyOf(answer)['message']];
    };

    const faults = [
      await put(WEB_02, 'decision', waiver(7, { state: 'open' })),
      await put(WEB_02, 'decision', waiver(400)),
      await put(WEB_02, 'decision', { state: 'waived', reason: 'x' }),
      await put(WEB_02, 'decision', waiver(7, { by: 'somebody else' })),
      await put(WEB_02, 'assignment', { assignee: '' }),
      await put(WEB_02, 'assignment', {}),
      await put('edr:0', 'decision', waiver(7)),
      await put('__proto__:x', 'assignment', { assignee: 'carol' }),
    ];

    expect(faults.map(([status]) => status)).toEqual([400, 400, 400, 400, 400, 400, 404, 404]);
    expect(faults[3]?.[1]).toMatch(/by/);
    expect(await list('?state=open')).toMatchObject({ count: 3, assignees: [] });
  });
});
