/** The OpenAPI document of the admin server matches its responses exactly. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { EXTENSION_ENDPOINTS, SPECIFIED_ENDPOINTS } from '#proxy/admin';
import type { AdminConfig, ProxyEvent } from '#proxy/engine';
import { clusterSnapshot, endpointSnapshot, listenerSnapshot, proxySnapshot } from '#proxy/testing';
import { TestAdmin } from './support/test-admin.ts';

const ASSETS = fileURLToPath(new URL('../../../dist/web/proxy/assets/', import.meta.url));

interface Schema {
  readonly properties?: Readonly<Record<string, { readonly nullable?: boolean }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const CHECK = { at: 1, result: 'failed' as const, latencyMs: 3.5, reason: 'status 500', streak: 4 };
const DURATIONS = { buckets: [], count: 9, sumSeconds: 1, p50Ms: 1.25, p90Ms: 20, p99Ms: undefined };
const TARGET = {
  address: '10.0.0.1:80',
  healthy: true,
  activeRequests: 0,
  isEjected: false,
  ejectedUntilMs: undefined,
  consecutive5xx: 0,
  consecutiveConnectFailures: 0,
  lastCheck: CHECK,
};
const ENDPOINT = endpointSnapshot('a:1', { lastCheck: CHECK, durations: DURATIONS, targets: [TARGET] });
const FAILURES = { connection_refused: 1, connect_timeout: 0, dns: 0, certificate_expired: 0 };
const SNAPSHOT = proxySnapshot({
  listeners: [listenerSnapshot('web')],
  clusters: [
    clusterSnapshot('api', {
      endpoints: [ENDPOINT, endpointSnapshot('b:1')],
      upstreamFailures: {
        ...FAILURES,
        certificate_wrong_name: 0,
        certificate_unknown_issuer: 0,
        protocol: 0,
        reset: 0,
        timeout: 0,
        no_free_place: 0,
      },
    }),
  ],
  breakerRejections: [
    {
      cluster: 'api',
      rejected: { max_connections: 0, max_pending_requests: 0, max_requests: 2, max_requests_per_client: 0 },
    },
  ],
});
const ROUTE = { index: 0, line: 3, host: '*', prefix: '/', takes: true, reason: 'matches' };
const PLACE = { at: 1, cluster: 'api', address: 'a:1' };
const EVENTS: readonly ProxyEvent[] = [
  { type: 'endpoint_health', ...PLACE, target: '10.0.0.1:1', healthy: false, reason: 'status 500' },
  { type: 'endpoint_ejected', ...PLACE, target: '10.0.0.1:1', untilMs: 2, reason: '5 bad answers' },
  { type: 'endpoint_returned', ...PLACE, target: '10.0.0.1:1' },
  { type: 'endpoint_switched', ...PLACE, isEnabled: false },
  { type: 'endpoint_resolved', ...PLACE, targets: [], fault: 'ENOTFOUND' },
  { type: 'breaker_tripped', at: 1, cluster: 'api', limit: 'max_requests', max: 8, rejected: 2 },
  { type: 'upstream_failure', at: 1, cluster: 'api', reason: 'dns', failures: 3 },
  { type: 'config_reload', at: 1, result: 'rejected', faults: ['a.yaml:1:1: no'] },
  { type: 'server_state', at: 1, state: 'DRAINING' },
];

/** Converts OpenAPI's `nullable` to JSON Schema. */
function withNulls(properties: NonNullable<Schema['properties']>): object {
  const entries = Object.entries(properties).map(([name, { nullable, ...schema }]) => [
    name,
    nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema,
  ]);
  return Object.fromEntries(entries) as object;
}

describe('OpenAPI document of the admin server', () => {
  let admin: TestAdmin;
  const start = async (parts: Partial<AdminConfig> = {}) => {
    admin = await TestAdmin.scripted({ admin: { extensions: true, ...parts } });
    admin.source.current = SNAPSHOT;
  };
  const json = async (path: string): Promise<unknown> => {
    const answer = await admin.ask('GET', path);
    expect(answer.status).toBe(200);
    return JSON.parse(answer.body);
  };

  afterEach(() => admin.stop());

  /** Validates values against a schema without missing or additional properties. */
  async function faultsOf(values: Readonly<Record<string, readonly unknown[]>>): Promise<readonly string[]> {
    const { components } = (await json('/admin/v1/openapi.json')) as Document;
    const schemas = Object.entries(components.schemas).map(([name, { properties, ...schema }]) => [
      name,
      properties === undefined
        ? schema
        : { ...schema, properties: withNulls(properties), additionalProperties: false },
    ]);
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
    ajv.addSchema({ $id: 'api', components: { schemas: Object.fromEntries(schemas) as object } });
    return Object.entries(values).flatMap(([name, each]) =>
      each.flatMap((value) => {
        const check = ajv.getSchema(`api#/components/schemas/${name}`);
        if (check === undefined) return [`${name} is no schema`];
        return check(value) === true ? [] : [`${name}: ${ajv.errorsText(check.errors)}`];
      }),
    );
  }

  it('documents each endpoint of the table, and no other', async () => {
    await start();
    const { paths } = (await json('/admin/v1/openapi.json')) as Document;

    const documented = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );

    const undocumented = new Set(['/admin/ui', '/admin/assets/{name}', '/admin/v1/openapi.json']);
    const known = [...SPECIFIED_ENDPOINTS, ...EXTENSION_ENDPOINTS].filter(
      ({ path }) => !undocumented.has(path),
    );
    expect(documented.sort()).toEqual(known.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('matches each response exactly', async () => {
    await start();
    admin.source.explanation = {
      listener: 'web',
      host: 'a',
      path: '/b',
      routes: [ROUTE],
      route: ROUTE,
      redirect: undefined,
      cluster: {
        name: 'api',
        lbPolicy: 'round_robin',
        endpoint: undefined,
        reason: 'none is available',
        targets: [{ endpoint: 'a:1', address: '10.0.0.1:1', isAvailable: false, reason: 'disabled' }],
      },
    };

    const faults = await faultsOf({
      ProxyStateDto: [await json('/admin/v1/clusters')],
      ExplanationDto: [await json('/admin/v1/explain?host=a&path=%2Fb')],
      AboutDto: [await json('/admin/v1/about')],
    });

    expect(faults).toEqual([]);
  });

  it('matches each event exactly', async () => {
    await start();
    for (const event of EVENTS) admin.source.emit(event);
    const socket = await admin.open();
    socket.write('GET /admin/v1/events?history=true HTTP/1.1\r\nHost: localhost\r\n\r\n');
    let text = '';
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      text += chunk.toString();
      if (/DRAINING.*\n\n/.test(text)) break;
    }

    const sent = Array.from(
      text.matchAll(/^data: (.+)$/gm),
      ([, data = '']) => JSON.parse(data) as ProxyEvent,
    );
    const schemaOf = ({ type }: ProxyEvent): string =>
      `_${type}`.replaceAll(/_(.)/g, (_all, letter: string) => letter.toUpperCase()) + 'EventDto';
    const faults = await Promise.all(sent.map((event) => faultsOf({ [schemaOf(event)]: [event] })));

    expect(sent).toHaveLength(EVENTS.length);
    expect(faults.flat()).toEqual([]);
  });

  it.each<[Partial<AdminConfig>, object]>([
    [{ name: 'edge 7' }, { name: 'edge 7', changes: 'open' }],
    [{ readOnly: true }, { name: hostname(), engine: 'embedded', changes: 'none' }],
  ])('names the proxy, and reports whether it accepts changes: %j', async (parts, about) => {
    await start(parts);

    expect(await json('/admin/v1/about')).toMatchObject(about);
  });

  it('serves the page with the security policy of all pages, and its assets with endless caching', async () => {
    await start();

    const shell = await admin.ask('GET', '/admin/ui');
    const [, path = ''] = /src="(\/admin\/assets\/[^"]+\.js)"/.exec(shell.body) ?? [];
    const asset = await admin.ask('GET', path);
    const nothing = await admin.ask('GET', '/admin/assets/nothing.js');

    expect(shell.headers['content-security-policy']).toBe(
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; worker-src 'self' blob:; " +
        "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect([shell.headers['cache-control'], asset.headers['cache-control']]).toEqual([
      'no-cache',
      'max-age=31536000, immutable',
    ]);
    expect([asset.status, asset.headers['content-type'], nothing.status]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      404,
    ]);
    expect(shell.body).not.toMatch(/https?:\/\/|<style|<script>/);
  });

  it('has a page of at most 300 KB in total, compressed', async () => {
    await start();
    const names = readdirSync(ASSETS).filter((name) => /\.(?:js|css)$/.test(name));

    const bytes = names.map((name) => gzipSync(readFileSync(ASSETS + name)).length);

    expect(names.length).toBeGreaterThan(2);
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(300 * 1_024);
  });
});
