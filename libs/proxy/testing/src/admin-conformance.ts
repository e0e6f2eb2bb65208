import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { HeldUpstream } from './held-upstream.ts';
import { MetricsPage } from './metrics-page.ts';

/** A proxy with its admin server, over any engine. */
export interface AdminSubject {
  /** URL of the admin server, with extensions. */
  readonly url: string;
  /** Port of the listener `web` on 127.0.0.1. */
  readonly port: number;
  /** Reloads the same configuration, in the way of the engine. */
  reload(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The configuration of the subject: a listener `web` whose requests are sent to the cluster `second` when
 * their path begins with `/second`, otherwise to `first`. The endpoints of `first` are checked frequently at
 * `/health`; one check decides.
 */
export interface AdminScene {
  /** Each as `host:port`. */
  readonly first: readonly string[];
  readonly second: readonly string[];
}

interface EndpointJson {
  readonly address: string;
  readonly healthy: boolean;
  readonly active_requests: number;
}

const TIMEOUT_MS = 60_000;
const JSON_HEADERS = { 'Content-Type': 'application/json' };
const SPECIFIED = [
  ['plexus_downstream_cx_total', 'counter'],
  ['plexus_downstream_cx_active', 'gauge'],
  ['plexus_circuit_breaker_rejected', 'counter'],
  ['plexus_server_live', 'gauge'],
] as const;

/** The requirements of an admin server, checked against a real proxy. */
export function adminConformance(name: string, open: (scene: AdminScene) => Promise<AdminSubject>): void {
  describe(`the admin server of ${name}`, () => {
    let left: HeldUpstream;
    let right: HeldUpstream;
    let lone: HeldUpstream;
    let subject: AdminSubject;
    let clients: Socket[];

    beforeEach(async () => {
      [left, right, lone] = [
        await HeldUpstream.start(),
        await HeldUpstream.start(),
        await HeldUpstream.start(),
      ];
      clients = [];
      subject = await open({ first: [left.address, right.address], second: [lone.address] });
    }, TIMEOUT_MS);

    afterEach(async () => {
      for (const client of clients) client.destroy();
      await subject.stop();
      for (const upstream of [left, right, lone]) upstream.stop();
    }, TIMEOUT_MS);

    const text = async (path: string): Promise<readonly [status: number, body: string]> => {
      const reply = await fetch(subject.url + path);
      return [reply.status, await reply.text()];
    };
    const stats = async (): Promise<MetricsPage> => new MetricsPage((await text('/stats'))[1]);
    const change = async (method: string, path: string): Promise<number> =>
      (await fetch(subject.url + path, { method, headers: JSON_HEADERS })).status;
    const endpoints = async (): Promise<readonly (readonly EndpointJson[])[]> => {
      const [, body] = await text('/clusters');
      const { clusters } = JSON.parse(body) as { clusters: { endpoints: readonly EndpointJson[] }[] };
      return clusters.map((cluster) => cluster.endpoints);
    };
    const client = async (): Promise<Socket> => {
      const socket = connect(subject.port, '127.0.0.1');
      clients.push(socket.on('error', () => undefined));
      await once(socket, 'connect');
      return socket;
    };
    const ask = async (path: string): Promise<Socket> => {
      const socket = await client();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: example.test\r\n\r\n`);
      return socket;
    };
    const answered = async (path: string): Promise<string> => {
      const socket = await ask(path);
      const [bytes] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return bytes.toString();
    };
    /** Polls until the condition is true. */
    const until = async (isSo: () => Promise<boolean>): Promise<void> => {
      while (!(await isSo()));
    };

    it(
      'is ready, and reports it consistently',
      async () => {
        const ready = await text('/ready');
        const page = await stats();

        expect(ready).toEqual([200, 'LIVE']);
        expect(page.value('plexus_server_live')).toBe(1);
      },
      TIMEOUT_MS,
    );

    it(
      'begins its metrics with the specified ones, without labels',
      async () => {
        const { families } = await stats();

        expect(families.slice(0, 4).map(({ name: family, type }) => [family, type])).toEqual(SPECIFIED);
        expect(families.slice(0, 4).map(({ samples }) => samples.map(({ labels }) => labels))).toEqual(
          SPECIFIED.map(() => [{}]),
        );
      },
      TIMEOUT_MS,
    );

    it(
      'lists clusters and endpoints in the order of the configuration, with exactly these fields',
      async () => {
        const [status, body] = await text('/clusters');

        const [a, b, c] = [left, right, lone].map(({ address }) => ({
          address,
          healthy: true,
          active_requests: 0,
        }));
        expect(status).toBe(200);
        expect(body).toBe(
          JSON.stringify({
            clusters: [
              { name: 'first', endpoints: [a, b] },
              { name: 'second', endpoints: [c] },
            ],
          }),
        );
      },
      TIMEOUT_MS,
    );

    it(
      'counts listeners, clusters and routes',
      async () => {
        expect(await text('/config')).toEqual([200, '{"listeners":1,"clusters":2,"routes":2}']);
      },
      TIMEOUT_MS,
    );

    it(
      'answers 404 for other paths, with the list of endpoints',
      async () => {
        const [status, body] = await text('/nope');

        expect(status).toBe(404);
        for (const path of ['/stats', '/clusters', '/config', '/ready'])
          expect(body).toContain(`GET ${path} `);
      },
      TIMEOUT_MS,
    );

    it(
      'reports an endpoint that becomes unhealthy and recovers',
      async () => {
        right.isWell = false;
        await until(async () => (await endpoints())[0]?.[1]?.healthy === false);
        const ill = await endpoints();
        right.isWell = true;
        await until(async () => (await endpoints())[0]?.[1]?.healthy === true);

        expect(ill.map((own) => own.map(({ healthy }) => healthy))).toEqual([[true, false], [true]]);
      },
      TIMEOUT_MS,
    );

    it(
      'counts unanswered requests, and none once they are answered',
      async () => {
        await Promise.all([ask('/second/hold'), ask('/second/hold'), ask('/second/hold')]);
        await until(async () => (await endpoints())[1]?.[0]?.active_requests === 3);
        const busy = await stats();
        lone.release();
        await until(async () => (await endpoints())[1]?.[0]?.active_requests === 0);

        expect(busy.value('plexus_endpoint_requests_active', { cluster: 'second' })).toBe(3);
      },
      TIMEOUT_MS,
    );

    it(
      'counts connections exactly, accepted and open',
      async () => {
        const before = await stats();
        const kept = [await client(), await client()];
        for (let i = 0; i < 5; i++) await answered('/second/');
        await until(async () => (await stats()).value('plexus_downstream_cx_active') === 2);
        const busy = await stats();
        for (const socket of kept) socket.destroy();
        await until(async () => (await stats()).value('plexus_downstream_cx_active') === 0);
        const idle = await stats();

        const total = (page: MetricsPage): number => page.value('plexus_downstream_cx_total');
        expect([total(busy) - total(before), total(idle) - total(busy)]).toEqual([7, 0]);
        expect(idle.sum('plexus_listener_cx_total')).toBe(total(idle));
        expect(idle.value('plexus_listener_responses_total', { listener: 'web', code: '2xx' })).toBe(5);
      },
      TIMEOUT_MS,
    );

    it(
      'decreases no counter over reloads',
      async () => {
        const pages: MetricsPage[] = [];
        for (let round = 0; round < 3; round++) {
          await answered('/second/');
          await until(async () => (await stats()).value('plexus_downstream_cx_total') === round + 1);
          pages.push(await stats());
          await subject.reload();
          await until(async () => (await text('/ready'))[0] === 200);
          pages.push(await stats());
        }

        for (const [i, page] of pages.slice(1).entries()) {
          for (const family of (pages[i]?.families ?? []).filter(({ type }) => type === 'counter')) {
            for (const { name: sample, labels, value } of family.samples) {
              expect([sample, labels, page.value(sample, labels)]).toEqual([
                sample,
                labels,
                expect.any(Number),
              ]);
              expect(page.value(sample, labels)).toBeGreaterThanOrEqual(value);
            }
          }
        }
      },
      TIMEOUT_MS,
    );

    it(
      'counts rejections by breakers, by cluster and reason',
      async () => {
        const page = await stats();

        expect(page.sum('plexus_cluster_circuit_breaker_rejected_total')).toBe(
          page.value('plexus_circuit_breaker_rejected'),
        );
      },
      TIMEOUT_MS,
    );

    it(
      'disables an endpoint and enables it again',
      async () => {
        const path = `/admin/v1/endpoints/first/${encodeURIComponent(left.address)}`;

        const disabled = await change('DELETE', path);
        await until(async () => (await endpoints())[0]?.[0]?.healthy === false);
        for (let i = 0; i < 6; i++) await answered('/');
        const requests = [left.requests, right.requests];
        const enabled = await change('POST', path);
        await until(async () => (await endpoints())[0]?.[0]?.healthy === true);
        while (left.requests === 0) await answered('/');

        expect([disabled, enabled]).toEqual([200, 200]);
        expect(requests).toEqual([0, 6]);
      },
      TIMEOUT_MS,
    );

    it(
      'is not ready while it drains, and answers requests in progress',
      async () => {
        const held = await ask('/second/hold');
        await until(async () => (await endpoints())[1]?.[0]?.active_requests === 1);

        const status = await change('POST', '/admin/v1/drain');
        const ready = await text('/ready');
        const page = await stats();
        lone.release();
        const [answer] = (await once(held, 'data')) as [Buffer];

        expect([status, ready]).toEqual([202, [503, 'DRAINING']]);
        expect(page.value('plexus_server_live')).toBe(0);
        expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 [^]*held/);
      },
      TIMEOUT_MS,
    );
  });
}
