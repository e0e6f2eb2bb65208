import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ConfigFiles } from '../config-files.ts';
import { InvalidProxyConfig } from '../invalid-proxy-config.ts';
import { parseProxyConfig } from './parse-proxy-config.ts';

const SOUND = {
  admin_address: '127.0.0.1:9901',
  admin: { read_only: true, allowed_hosts: ['admin.example'], extensions: true },
  engine: { kind: 'embedded' },
  listeners: [
    { name: 'web', address: '0.0.0.0:8080', idle_timeout: '60s', trusted_proxies: ['10.0.0.0/8'] },
    { name: 'pg', address: '127.0.0.1:5433', protocol: 'tcp', cluster: 'db' },
  ],
  clusters: [
    {
      name: 'api',
      lb_policy: 'ring_hash',
      hash_key: 'header:x-user',
      endpoints: [{ address: '10.0.0.1:9000', weight: 2 }, { address: 'api.internal:9000' }],
      tls: { sni: 'api.internal' },
      health_check: { path: '/healthz', expected: ['200-299', 304] },
      outlier_detection: { consecutive_5xx: 5 },
      circuit_breaker: { max_requests: 7 },
      retry: { on: ['connect_failure', 503] },
    },
    { name: 'db', endpoints: [{ address: '[::1]:5432' }] },
  ],
  routes: [
    {
      host: '*.example.com',
      prefix: '/v1',
      cluster: 'api',
      request_headers: { set: { a: 'b' }, remove: ['c'] },
    },
    { prefix: '/old', redirect: 'https', listeners: ['web'] },
  ],
  drain: { grace: '1s', timeout: '2s' },
};
const TEXT = JSON.stringify(SOUND, undefined, 1);

/** The faults of the text, if any; other errors fail the test. */
function faultsOf(text: string): readonly string[] {
  const files = new ConfigFiles('/etc/plexus', new Map());
  try {
    parseProxyConfig(text, { file: 'proxy.yaml', files, environment: {}, nowMs: 0 });
    return [];
  } catch (error) {
    if (error instanceof InvalidProxyConfig) return error.faults;
    throw error;
  }
}

/** The paths of all nested values. */
function pathsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, child]) => pathsIn(child, [...path, key]))];
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy: unknown = structuredClone(value);
  if (typeof copy !== 'object' || copy === null) return copy;
  const child: unknown = Reflect.get(copy, key);
  Reflect.set(copy, key, replaced(child, rest, by));
  return copy;
}

describe('parseProxyConfig', () => {
  it('accepts the configuration of this test', () => {
    expect(faultsOf(TEXT)).toEqual([]);
  });

  it('accepts it with any value replaced, or rejects it with positions', () => {
    const path = fc.constantFrom(...pathsIn(SOUND));
    const words = fc.constantFrom(
      '',
      '0s',
      '-1',
      '*',
      '[::1]:0',
      ':',
      'web',
      'db',
      '__proto__',
      'haproxy',
      'tcp',
    );
    const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), words);
    fc.assert(
      fc.property(fc.array(fc.tuple(path, value), { minLength: 1, maxLength: 3 }), (changes) => {
        const text = JSON.stringify(changes.reduce<unknown>((all, [at, by]) => replaced(all, at, by), SOUND));

        for (const fault of faultsOf(text)) expect(fault).toMatch(/^proxy\.yaml:\d+:[1-9]\d*: /);
      }),
      { numRuns: 200 },
    );
  });

  it('rejects it cut anywhere', () => {
    for (let length = 0; length < TEXT.length; length += 7) {
      expect(faultsOf(TEXT.slice(0, length))).not.toEqual([]);
    }
  });

  it('handles any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (text) => {
        expect(faultsOf(text)).not.toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});
