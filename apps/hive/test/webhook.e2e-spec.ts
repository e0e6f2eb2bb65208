import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunView } from '#load/coordination';
import { Story } from '#testing';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';
import { SCENARIO } from './support/test-scenario.ts';

const SECRET = 'whsec-correct-horse';
const PATH_SECRET = 'T0KEN-in-the-path';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  readonly text: string;
}

describe('the webhook of a run', () => {
  const received = { story: new Story<Received>() };
  let statuses: number[];
  let server: Server;
  let hive: TestHive;
  let edge: TestEdge | undefined;

  beforeEach(async () => {
    received.story = new Story();
    statuses = [];
    server = createServer((request, reply) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        reply.statusCode = statuses.shift() ?? 204;
        reply.end();
        received.story.record({ headers: request.headers, url: request.url ?? '', text });
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    hive = await startHive();
  });
  afterEach(async () => {
    await edge?.leave();
    edge = undefined;
    await hive.remove();
    server.closeAllConnections();
    server.close();
  });

  function startHive(directory?: string, retryMs = 1): Promise<TestHive> {
    const { port } = server.address() as AddressInfo;
    const environment = { HOOK_URL: `http://127.0.0.1:${port}/${PATH_SECRET}`, HOOK_KEY: SECRET };
    return TestHive.start({
      environment,
      times: { webhookRetryMs: retryMs },
      ...(directory !== undefined && { directory }),
    });
  }

  const HOOK = { url_env: 'HOOK_URL', secret_env: 'HOOK_KEY', allow_private: ['127.0.0.1'] };

  async function endedRun(webhook: object): Promise<string> {
    edge = await TestEdge.connect('a', { address: hive.grpcAddress });
    const { run_id: runId } = await hive.begin({ ...SCENARIO, webhook });
    await hive.until(runId, ({ phase }) => phase === 'steady');
    edge.progress('done', { planned: 1, sent: 1, included: 1 });
    await hive.end(runId);
    return runId;
  }

  /** Each look is a request: what the hive does in between is its own work. */
  async function settled(runId: string): Promise<RunView> {
    for (;;) {
      const run = await hive.run(runId);
      if (run.webhook !== null && run.webhook.state !== 'pending') return run;
    }
  }

  it('has the summary of the report, the id of the run, and a signature by the key', async () => {
    const runId = await endedRun(HOOK);
    const run = await settled(runId);
    const [message] = received.story.entries;
    const report = await hive.json(200, 'GET', `/runs/${runId}/report`);

    expect(run.webhook).toEqual({ state: 'delivered', attempts: 1, reason: null });
    expect(JSON.parse(message?.text ?? '')).toMatchObject({
      event: 'run_ended',
      id: runId,
      run_id: runId,
      status: 'Completed',
      verdict: report['verdict'],
      summary: report['summary'],
      thresholds: report['thresholds'],
      report_path: `/runs/${runId}/report`,
    });
    expect(message?.headers['plexus-event-id']).toBe(runId);
    const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(message?.headers['plexus-signature'])) ?? [
      '',
      '',
      '',
    ];
    expect(v1).toBe(
      createHmac('sha256', SECRET)
        .update(`${t}.${message?.text ?? ''}`)
        .digest('hex'),
    );
  });

  it('is sent again after a failure, with the same id and body', async () => {
    statuses = [503, 429];

    const run = await settled(await endedRun(HOOK));

    expect(run.webhook).toEqual({ state: 'delivered', attempts: 3, reason: null });
    expect(new Set(received.story.entries.map(({ text }) => text)).size).toBe(1);
  });

  it.each([
    ['refuses it', [404], 1, 'answered 404: refused, not sent again'],
    ['redirects', Array<number>(6).fill(302), 6, 'answered 302: redirects are not followed'],
    ['is broken', Array<number>(6).fill(500), 6, 'answered 500'],
  ])('is given up when the receiver %s, which changes no verdict', async (_, given, attempts, reason) => {
    statuses = [...given];
    const silent = await endedRun(HOOK);
    const run = await settled(silent);

    expect(run.webhook).toEqual({ state: 'failed', attempts, reason });
    expect(received.story.entries).toHaveLength(attempts);
    expect(run).toMatchObject({ status: 'Completed', reason: null });
    expect(run.verdict?.reasons.map(({ code }) => code)).not.toContain('webhook');
    const { text } = await hive.call('GET', '/metrics');
    const outcome = attempts === 1 ? 'refused' : 'given_up';
    expect(text).toContain(`plexus_hive_webhook_attempts_total{outcome="${outcome}"} 1`);
  });

  it('reaches no private network that it does not name', async () => {
    const run = await settled(await endedRun({ url_env: 'HOOK_URL' }));

    expect(run.webhook).toMatchObject({
      state: 'failed',
      reason: '127.0.0.1 is on a private network: name it in allow_private if that is meant',
    });
    expect(received.story.entries).toEqual([]);
  });

  it('is sent by the next hive, if this one ends before', async () => {
    statuses = [503];
    const { directory } = hive;
    await hive.stop();
    hive = await startHive(directory, 3_600_000);
    const runId = await endedRun(HOOK);
    await received.story.until(() => true);
    await edge?.leave();
    edge = undefined;
    await hive.stop();

    hive = await startHive(directory);

    expect((await settled(runId)).webhook?.state).toBe('delivered');
    expect(received.story.entries.map(({ headers }) => headers['plexus-event-id'])).toEqual([runId, runId]);
  });

  it.each([
    [{ url: 'http://user:pass@hooks.example/a' }, 'webhook.url: expected no user'],
    [{ url: 'https://hooks.example/a?token=1' }, 'webhook.url: expected no user'],
    [{ url: 'https://hooks.example/a', url_env: 'HOOK_URL' }, 'webhook: expected either url or url_env'],
    [{}, 'webhook: expected either url or url_env'],
    [{ url_env: 'NO_SUCH' }, 'webhook.url_env: the hive has no variable NO_SUCH'],
    [{ url_env: 'HOOK_URL', secret_env: 'NO_SUCH' }, 'webhook.secret_env: the hive has no variable NO_SUCH'],
    [{ url_env: 'HOOK_KEY' }, 'webhook: expected an http or https URL'],
  ])('is checked with its scenario: %j', async (webhook, message) => {
    const { status, text } = await hive.call('POST', '/runs', { ...SCENARIO, webhook });

    expect([status, text]).toEqual([400, expect.stringContaining(message)]);
    expect(text).not.toMatch(new RegExp(`${SECRET}|${PATH_SECRET}|pass`));
  });

  it('leaves no secret in run, record, report and scenario', async () => {
    statuses = [404];
    const runId = await endedRun(HOOK);
    await settled(runId);
    const texts = await Promise.all(
      ['', '/report', '/report?format=html', '/report?format=junit'].map((path) =>
        hive.call('GET', `/runs/${runId}${path}`),
      ),
    );

    expect(texts.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const { text } of texts) expect(text).not.toMatch(new RegExp(`${SECRET}|${PATH_SECRET}`));
  });
});
