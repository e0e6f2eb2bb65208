import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConnector, readConnector } from '#graph/connector';
import { pause } from '#platform/foundation';
import { clique, SLOW_QUERY } from './support/estate.ts';
import { Receiver } from './support/receiver.ts';
import { type Json, TestService, type TestServiceOptions } from './support/test-service.ts';

const KEY = 'correct-horse';
process.env['NOTIFY_KEY'] = KEY;

const HOSTS = {
  id: 'hosts',
  severity: 'high',
  query: 'FIND host',
  frameworks: [{ framework: 'cis', control: '1.1' }],
};
const USERS = { id: 'users', severity: 'low', query: 'FIND user' };
const RETRY = 'retry: { first: 1ms, longest: 5ms }\n';
const host = (key: string) => ({ type: 'host', key, class: 'Host' });

const failing = defineConnector({
  name: 'failing',
  about: 'a source that cannot be read',
  config: {},
  steps: () => [
    { id: 'only', emits: { entities: ['host'] }, run: () => Promise.reject(new Error('no such source')) },
  ],
});

describe('notifications', () => {
  let directory: string;
  let receiver: Receiver;
  let service: TestService | undefined;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-notify-'));
    receiver = await Receiver.start();
  });
  afterEach(async () => {
    await service?.stop();
    await receiver.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const channel = (more = ''): string =>
    `{ type: webhook, url: "${receiver.url}/in", allow_private: [127.0.0.1]${more} }`;

  async function start(text: string, more: TestServiceOptions = {}): Promise<TestService> {
    const path = join(directory, 'notifications.yaml');
    await writeFile(path, text);
    const data = join(directory, 'data');
    const environment = { PLEXUS_NOTIFICATIONS: path, ...more.environment };
    service = await TestService.start({ ...more, environment, directory: data });
    return service;
  }

  const written = (key: string, properties: object): object => ({
    entities: [{ ...host(key), properties }],
    relationships: [],
  });

  it('sends the changes that a query selects, in order, also those while it was stopped', async () => {
    const file = `channels: { hook: ${channel()} }\n${RETRY}notifications:\n  - on: changed\n    query: "FIND host WITH env = 'prod'"\n    to: hook\n`;
    const changes: unknown[] = [];
    const ids = new Set<string>();
    const heard = (text: string): Promise<unknown> => receiver.story.until(({ body }) => body.includes(text));
    await start(file);
    await service?.json(200, 'POST', '/v1/ingest/write', written('a', { env: 'prod', cpu: 1 }));
    await service?.json(200, 'POST', '/v1/ingest/write', written('b', { env: 'dev' }));
    await heard('"created"');
    await service?.stop();
    await start('channels: {}\n');
    await service?.json(200, 'POST', '/v1/ingest/write', written('a', { env: 'prod', cpu: 2 }));
    await service?.json(200, 'POST', '/v1/ingest/write', written('a', { env: 'dev', cpu: 2 }));
    await service?.stop();
    await start(file);
    await heard('"old":"prod"');

    for (const { message, headers } of receiver.story.entries) {
      expect(message).toMatchObject({ event: 'changed', more: 0, count: message.findings.length });
      expect(headers['plexus-event-id']).toBe(message.id);
      if (!ids.has(message.id)) changes.push(...message.findings);
      ids.add(message.id);
    }
    expect(changes).toMatchObject([
      { change: 'created', entity: { key: 'a' } },
      { change: 'changed', fields: [{ name: 'cpu', old: 1, new: 2 }] },
      { change: 'changed', fields: [{ name: 'env', old: 'prod', new: 'dev' }] },
    ]);
  });

  it.each([
    ['on: changed\n    query: FIND host THAT RUNS service', {}, 'relationships'],
    ['on: opened\n    query: FIND host', {}, 'expected on: changed with a query'],
    ['on: changed', { PLEXUS_HISTORY: 'off' }, 'PLEXUS_HISTORY'],
  ])('is not started with %j and %j', async (subscription, environment, fault) => {
    const file = `channels: { hook: ${channel()} }\nnotifications:\n  - ${subscription}\n    to: hook\n`;

    await expect(start(file, { environment })).rejects.toThrow(fault);
  });

  async function withRules(text: string, more: TestServiceOptions = {}): Promise<TestService> {
    const started = await start(text, more);
    await started.json(200, 'POST', '/v1/policies', { rules: [HOSTS, USERS] });
    return started;
  }

  async function deliveries(query = ''): Promise<readonly Json[]> {
    const reply = await service?.json(200, 'GET', `/v1/notifications${query}`);
    return reply?.['notifications'] as readonly Json[];
  }

  /** Deliveries are recorded after the answer. */
  async function deliveredOnce(state: string, count = 1): Promise<readonly Json[]> {
    for (;;) {
      const found = await deliveries(`?state=${state}`);
      if (found.length >= count) return found;
      await pause(5);
    }
  }

  const evaluate = (started: TestService) => started.json(200, 'POST', '/v1/policies/evaluate', {});

  it('report opened and resolved findings, signed, once each', async () => {
    const started = await withRules(
      `channels: { ops: ${channel(', secret_env: NOTIFY_KEY')} }
notifications: [{ on: [opened, resolved], to: ops }]`,
    );
    await started.json(200, 'POST', '/v1/ingest/write', { entities: [host('a'), host('b')] });
    await evaluate(started);
    await receiver.story.until(({ message }) => message.event === 'opened');
    const { entities } = await started.query("FIND host WITH _key = 'a'");
    await started.call('DELETE', `/v1/entities/${String(entities[0]?.['id'])}`);
    await evaluate(started);
    await evaluate(started);
    await receiver.story.until(({ message }) => message.event === 'resolved');

    const [opened, resolved] = receiver.story.entries;
    const { headers, body, message } = opened ?? {};
    const [, seconds, digest] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers?.['plexus-signature'])) ?? [];
    expect(digest).toBe(createHmac('sha256', KEY).update(`${seconds}.${body}`).digest('hex'));
    expect(headers?.['plexus-event-id']).toBe(message?.id);
    expect(message).toMatchObject({ event: 'opened', count: 2, more: 0 });
    expect(message?.findings[0]).toMatchObject({
      rule_id: 'hosts',
      severity: 'high',
      label: 'host a',
      class: 'Host',
    });
    expect(resolved?.message).toMatchObject({ event: 'resolved', count: 1, findings: [{ label: 'host a' }] });
    expect(await deliveredOnce('delivered', 2)).toMatchObject([
      { channel: 'ops', event: 'resolved', attempts: 1, error: null },
      { channel: 'ops', event: 'opened', attempts: 1, error: null },
    ]);
    expect(receiver.events).toEqual(['opened 2', 'resolved 1']);
  });

  it('filter by severity, framework, rule and class', async () => {
    const choices = ['severity: high', 'framework: cis', 'rule: users', 'class: User', 'rule: other'];
    const started = await withRules(
      `channels:
${choices.map((_, at) => `  c${at}: { type: webhook, url: "${receiver.url}/${at}", allow_private: [127.0.0.1] }`).join('\n')}
notifications:
${choices.map((choice, at) => `  - { on: opened, ${choice}, to: c${at} }`).join('\n')}`,
    );
    const user = { type: 'user', key: 'ann', class: 'User' };
    await started.json(200, 'POST', '/v1/ingest/write', { entities: [host('a'), user] });
    await evaluate(started);
    await deliveredOnce('delivered', 4);

    const told = receiver.story.entries.map(
      ({ path, message }) => `${path} ${String(message.findings[0]?.['label'])}`,
    );
    expect(told.sort()).toEqual(['/0 host a', '/1 host a', '/2 user ann', '/3 user ann']);
  });

  it('report 10,000 findings in one message with a count', async () => {
    const started = await withRules(
      `channels: { ops: ${channel()} }\nnotifications: [{ on: opened, to: ops }]`,
    );
    const entities = Array.from({ length: 10_000 }, (_, at) => host(`h${at}`));
    await started.json(200, 'POST', '/v1/ingest/write', { entities });
    await evaluate(started);
    const { message } = await receiver.story.until(() => true);

    expect(message).toMatchObject({ count: 10_000, more: 9_900 });
    expect(message.findings).toHaveLength(100);
    expect(receiver.story.entries).toHaveLength(1);
  });

  it('retry failed, hanging and truncated deliveries, in order, with the same id', async () => {
    receiver.answer = (reply, _, nth) => {
      if (nth === 1) reply.writeHead(503).end();
      else if (nth === 2) reply.destroy();
      else if (nth > 3) reply.end();
    };
    const started = await withRules(
      `channels: { ops: ${channel(', timeout: 200ms')} }\nnotifications: [{ on: opened, to: ops }]\n${RETRY}`,
    );
    await started.json(200, 'POST', '/v1/ingest/write', { entities: [host('a')] });
    await evaluate(started);
    await started.json(200, 'POST', '/v1/ingest/write', { entities: [host('b')] });
    await evaluate(started);
    await receiver.story.until(({ message }) => message.findings[0]?.['label'] === 'host b');
    const [second, first] = await deliveredOnce('delivered', 2);

    const ids = receiver.story.entries.map(({ message }) => message.id);
    // A busy machine may time out one more attempt.
    expect(ids.filter((id, at) => id !== ids[at - 1])).toEqual([first?.['id'], second?.['id']]);
    expect(first?.['attempts']).toBeGreaterThanOrEqual(4);
  });

  it.each([400, 401, 403, 404, 410, 413, 422, 499])(
    'that a receiver refuses with %i are set aside at once, and the others go on in order',
    async (status) => {
      receiver.answer = (reply, { message }) => {
        if (message.findings[0]?.['label'] === 'host b') reply.writeHead(status).end();
        else reply.end();
      };
      const started = await withRules(
        `channels: { ops: ${channel()} }\nnotifications: [{ on: opened, to: ops }]\nretry: { first: 1h }`,
      );
      for (const key of ['a', 'b', 'c']) {
        await started.json(200, 'POST', '/v1/ingest/write', { entities: [host(key)] });
        await evaluate(started);
      }
      await deliveredOnce('delivered', 2);

      expect(receiver.story.entries.map(({ message }) => message.findings[0]?.['label'])).toEqual([
        'host a',
        'host b',
        'host c',
      ]);
      expect(await deliveries('?state=given_up')).toMatchObject([
        { attempts: 1, error: `answered ${status}: refused, not sent again`, next_at: null },
      ]);
      const metrics = await started.call('GET', '/metrics');
      expect(metrics.text).toContain(
        'plexus_notification_attempts_total{channel="ops",event="opened",outcome="refused"} 1',
      );
    },
  );

  it.each([408, 425, 429, 500])('that a receiver does not take now (%i) are sent again', async (status) => {
    receiver.answer = (reply, _, nth) => reply.writeHead(nth === 1 ? status : 200).end();
    const started = await withRules(
      `channels: { ops: ${channel()} }\nnotifications: [{ on: opened, to: ops }]\n${RETRY}`,
    );
    await started.json(200, 'POST', '/v1/ingest/write', { entities: [host('a')] });
    await evaluate(started);

    expect(await deliveredOnce('delivered')).toMatchObject([{ attempts: 2 }]);
  });

  it('are sent with the user and password of an address in the environment', async () => {
    process.env['NOTIFY_URL'] = `${receiver.url.replace('://', '://ops%40x:p%C3%A4ss@')}/in`;
    const started = await withRules(
      'channels: { ops: { type: webhook, url_env: NOTIFY_URL, allow_private: [127.0.0.1] } }\n' +
        `notifications: [{ on: opened, to: ops }]\n${RETRY}`,
    );
    await started.json(200, 'POST', '/v1/ingest/write', { entities: [host('a')] });
    await evaluate(started);
    const { headers } = await receiver.story.until(() => true);

    expect(headers['authorization']).toBe(`Basic ${Buffer.from('ops@x:päss').toString('base64')}`);
  });

  it('refuse an address with a password in the file, without showing it', async () => {
    const text = 'channels: { ops: { type: webhook, url: "https://ops:correct-horse@example.com" } }\n';
    const failure = await start(text).catch((error: unknown) => String(error));

    expect(failure).toContain('channels.ops.url: expected no password: put the URL into a variable, url_env');
    expect(failure).not.toContain(KEY);
  });

  it('expire after their time, and are listed with the reason', async () => {
    receiver.answer = (reply) => reply.writeHead(500).end();
    const started = await withRules(
      `channels: { ops: ${channel()} }\nnotifications: [{ on: opened, to: ops }]\n${RETRY.replace(' }', ', give_up_after: 1ms }')}`,
    );
    await started.json(200, 'POST', '/v1/ingest/write', { entities: [host('a')] });
    await evaluate(started);

    expect(await deliveredOnce('given_up')).toMatchObject([{ error: 'answered 500', next_at: null }]);
    const metrics = await started.call('GET', '/metrics');
    expect(metrics.text).toContain(
      'plexus_notification_attempts_total{channel="ops",event="opened",outcome="given_up"} 1',
    );
    expect(metrics.text).toContain('plexus_notifications_pending{channel="ops"} 0');
  });

  it('survive a restart of the service', async () => {
    receiver.answer = (reply) => reply.writeHead(503).end();
    const text = `channels: { ops: ${channel()} }\nnotifications: [{ on: opened, to: ops }]\n${RETRY}`;
    const started = await withRules(text);
    await started.json(200, 'POST', '/v1/ingest/write', { entities: [host('a')] });
    await evaluate(started);
    const { message } = await receiver.story.until(() => true);
    await started.stop();
    receiver.answer = (reply) => reply.end();
    await start(text);

    expect(await deliveredOnce('delivered')).toMatchObject([{ id: message.id, event: 'opened' }]);
  });

  it('follow no redirect, and reach no private network that is not allowed', async () => {
    receiver.answer = (reply) => reply.writeHead(307, { location: `${receiver.url}/elsewhere` }).end();
    const started = await withRules(
      `channels:
  moved: ${channel()}
  private: { type: webhook, url: "${receiver.url}/private" }
  named: { type: webhook, url: "${receiver.url.replace('127.0.0.1', 'localhost')}/named" }
notifications: [{ on: opened, to: [moved, private, named] }]
retry: { first: 1ms, longest: 5ms, give_up_after: 1ms }`,
    );
    await started.json(200, 'POST', '/v1/ingest/write', { entities: [host('a')] });
    await evaluate(started);
    const givenUp = await deliveredOnce('given_up', 3);

    const reasons = new Map(givenUp.map((one) => [one['channel'], one['error']]));
    expect([...reasons].sort()).toEqual([
      ['moved', 'answered 307: redirects are not followed'],
      ['named', 'localhost is on a private network: name it in allow_private if that is meant'],
      ['private', '127.0.0.1 is on a private network: name it in allow_private if that is meant'],
    ]);
    expect(receiver.story.entries.every(({ path }) => path === '/in')).toBe(true);
  });

  it('report a rule that cannot be evaluated, and a failed connector, once', async () => {
    const connectors = [
      readConnector('connector: failing', 'broken.yaml', { types: [failing], environment: {} }),
    ];
    const started = await start(
      `channels: { ops: ${channel()} }\nnotifications: [{ on: [rule_error, connector_failed], to: ops }]`,
      { connectors, environment: { PLEXUS_RULE_TIMEOUT: '200ms' } },
    );
    const slow = { id: 'slow', query: SLOW_QUERY.replace('RETURN COUNT(*)', 'GROUP BY e._key') };
    await started.json(200, 'POST', '/v1/policies', { rules: [slow] });
    await started.json(200, 'POST', '/v1/ingest/write', clique(60));
    await evaluate(started);
    await evaluate(started);
    await started.json(202, 'POST', '/v1/connectors/broken/run', {});
    const { message } = await receiver.story.until(({ message: { event } }) => event === 'connector_failed');

    expect(message).toMatchObject({ count: 1, findings: [{ connector_id: 'broken', status: 'failed' }] });
    expect(receiver.events).toEqual(['rule_error 1', 'connector_failed 1']);
    expect(receiver.story.entries[0]?.message.findings[0]).toMatchObject({ rule_id: 'slow' });
    expect(await deliveredOnce('delivered', 2)).toMatchObject([
      { about: [{ label: 'broken', connector_id: 'broken', rule_id: null }] },
      { about: [{ label: 'slow', rule_id: 'slow', finding_id: null, connector_id: null }] },
    ]);
    const { totals } = await started.json(200, 'GET', '/v1/notifications?state=pending');
    expect(totals).toEqual([{ channel: 'ops', pending: 0, delivered: 2, given_up: 0 }]);
  });

  it('are appended to a file as lines, which keeps what others wrote there, a line without end too', async () => {
    const file = join(directory, 'told.ndjson');
    await writeFile(file, '{"id":"whole"}\n{"id":"hal');
    const started = await withRules(
      'channels: { log: { type: file, path: told.ndjson } }\nnotifications: [{ on: opened, to: log }]',
    );
    await started.json(200, 'POST', '/v1/ingest/write', { entities: [host('a')] });
    await evaluate(started);
    const [delivered] = await deliveredOnce('delivered');

    const [whole, half, own = '', ...rest] = (await readFile(file, 'utf8')).split('\n');
    expect([whole, half, rest]).toEqual(['{"id":"whole"}', '{"id":"hal', ['']]);
    expect((JSON.parse(own) as Json)['id']).toBe(delivered?.['id']);
  });

  it.each([
    [
      'channels: { ops: { type: webhook, url: "https://x.test", secret_env: NOT_SET } }',
      'NOT_SET is not set',
    ],
    ['channels: { ops: { type: webhook } }', 'expected either url or url_env'],
    ['channels: { ops: { type: pigeon } }', '`webhook`'],
    ['channels: { ops: { type: slack, url: "https://x.test", colour: red } }', 'unknown key "colour"'],
    ['notifications: [{ on: opened, to: ops }]', 'there is no channel ops'],
    ['notifications: [{ on: open, to: ops }]', '`opened`'],
  ])('refuse to start with %s', async (text, reason) => {
    await expect(start(text)).rejects.toThrow(reason);
  });
});
