import { describe, expect, it } from '@jest/globals';
import { makeCertificate } from '../../../test/certificate.ts';
import { ConfigFiles } from '../config-files.ts';
import { parseProxyConfig } from './parse-proxy-config.ts';
import type { ProxyConfig } from '../proxy-config.ts';

const MINIMAL = `listeners: [{ name: web, address: 127.0.0.1:8080 }]
clusters: [{ name: api, endpoints: [{ address: 10.0.0.1:9000 }] }]
routes: [{ prefix: /, cluster: api }]
`;

const { cert, key } = makeCertificate('api.internal');
const YEAR_MS = 365 * 86_400_000;

function parse(text: string, nowMs = Date.now()): ProxyConfig {
  const contents = new Map([
    ['/etc/plexus/cert.pem', { text: cert }],
    ['/etc/plexus/key.pem', { text: key }],
  ]);
  const files = new ConfigFiles('/etc/plexus', contents);
  return parseProxyConfig(text, { file: 'proxy.yaml', files, environment: { TOKEN: 'opensesame' }, nowMs });
}

describe('parseProxyConfig', () => {
  it('applies the documented defaults', () => {
    const config = parse(MINIMAL);

    expect(config).toEqual({
      adminAddress: undefined,
      admin: { token: undefined, readOnly: false, allowedHosts: [], name: undefined, extensions: false },
      engine: { kind: 'embedded', socket: undefined, config: undefined },
      workers: 1,
      listeners: [
        {
          name: 'web',
          address: { host: '127.0.0.1', port: 8080, text: '127.0.0.1:8080' },
          protocol: 'http',
          cluster: undefined,
          maxConnections: 10_000,
          idleTimeoutMs: 60_000,
          headerTimeoutMs: 10_000,
          maxHeaderBytes: 32_768,
          requestTimeoutMs: 0,
          bodyMinRate: 500,
          tls: undefined,
          paths: 'raw',
          trustedProxies: [],
          accessLog: false,
        },
      ],
      clusters: [
        {
          name: 'api',
          lbPolicy: 'round_robin',
          hashKey: { source: 'ip' },
          endpoints: [{ address: { host: '10.0.0.1', port: 9000, text: '10.0.0.1:9000' }, weight: 1 }],
          dnsRefreshMs: 30_000,
          tls: undefined,
          connectTimeoutMs: 1_000,
          healthCheck: undefined,
          outlierDetection: undefined,
          circuitBreaker: {
            maxConnections: 1_024,
            maxPendingRequests: 1_024,
            maxRequests: 1_024,
            maxRequestsPerClient: 768,
            maxRetries: 3,
          },
          retry: undefined,
        },
      ],
      routes: [
        {
          host: '*',
          prefix: '/',
          cluster: 'api',
          redirect: undefined,
          listeners: undefined,
          timeoutMs: 15_000,
          streamTimeoutMs: 60_000,
          stripPrefix: false,
          websocket: false,
          requestHeaders: { set: [], remove: [] },
          line: 3,
        },
      ],
      drain: { graceMs: 5_000, timeoutMs: 30_000 },
      warnings: [],
    });
  });

  it('applies the documented defaults to optional parts', () => {
    const { clusters } = parse(`admin_address: 127.0.0.1:9901
clusters:
  - { name: api, endpoints: [{ address: a:1 }], tls: {}, health_check: {}, outlier_detection: {}, retry: {} }
routes: [{ prefix: /, cluster: api }]
`);

    expect(clusters[0]).toMatchObject({
      tls: {
        caFile: undefined,
        sni: undefined,
        verify: true,
        minVersion: 'TLSv1.2',
        ciphers: expect.stringMatching(/^TLS_AES_256_GCM_SHA384:.*:ECDHE-RSA-CHACHA20-POLY1305$/),
      },
      healthCheck: {
        type: 'http',
        path: '/healthz',
        intervalMs: 5_000,
        timeoutMs: 1_000,
        healthyThreshold: 2,
        unhealthyThreshold: 3,
        expected: [{ from: 200, to: 299 }],
      },
      outlierDetection: {
        consecutive5xx: 5,
        consecutiveConnectFailures: 5,
        baseEjectionTimeMs: 30_000,
        maxEjectionPercent: 10,
      },
      retry: {
        on: { connectFailure: true, resetBeforeHeaders: true, statusCodes: [502, 503] },
        max: 1,
        methods: 'idempotent',
        budgetPercent: 20,
      },
    });
  });

  it('accepts JSON, with tabs too', () => {
    const json = JSON.stringify(
      {
        listeners: [{ name: 'web', address: '127.0.0.1:8080' }],
        clusters: [{ name: 'api', endpoints: [{ address: '10.0.0.1:9000' }] }],
        routes: [{ prefix: '/', cluster: 'api' }],
      },
      undefined,
      '\t',
    );

    const { routes, ...rest } = parse(MINIMAL);

    expect(parse(json)).toEqual({ ...rest, routes: routes.map((route) => ({ ...route, line: 19 })) });
  });

  it('returns a deeply frozen object', () => {
    const config = parse(`${MINIMAL}drain: { grace: 1s }\n`);
    const loose: unknown[] = [];
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      if (!Object.isFrozen(value)) loose.push(value);
      for (const child of Object.values(value)) walk(child);
    };

    walk(config);

    expect(loose).toEqual([]);
  });

  it('reads structured values', () => {
    const config = parse(`admin_address: 127.0.0.1:0
admin: { token_env: TOKEN, allowed_hosts: [Admin.Example] }
listeners:
  - { name: web, address: "[::]:8443", tls: { cert_file: cert.pem, key_file: /etc/plexus/key.pem }, idle_timeout: 0s,
      trusted_proxies: [10.0.0.0/8, "fd00::/8", 192.0.2.1] }
clusters:
  - { name: api, lb_policy: ring_hash, hash_key: "header:X-User", endpoints: [{ address: "[::1]:1", weight: 1000 }],
      health_check: { expected: [200, 301-302] }, retry: { on: [503] } }
routes:
  - { host: API.Example.com., prefix: /, cluster: api, timeout: 0s, listeners: [web],
      request_headers: { set: { Host: internal, __proto__: x }, remove: [X-Debug] } }
  - { host: "*.Example.com", prefix: /, redirect: https }
  - { host: "[2001:db8::1]", prefix: /, cluster: api }
`);

    expect(config.adminAddress?.port).toBe(0);
    expect(config.admin.token?.reveal()).toBe('opensesame');
    expect(JSON.stringify(config)).not.toContain('opensesame');
    expect(JSON.stringify(config)).not.toContain('PRIVATE KEY');
    expect(config.admin.allowedHosts).toEqual(['admin.example']);
    expect(config.listeners[0]).toMatchObject({
      address: { host: '::', port: 8443 },
      idleTimeoutMs: 0,
      trustedProxies: [
        { address: '10.0.0.0', bits: 8, family: 'ipv4' },
        { address: 'fd00::', bits: 8, family: 'ipv6' },
        { address: '192.0.2.1', bits: 32, family: 'ipv4' },
      ],
    });
    expect(config.listeners[0]?.tls?.certFile).toEqual({ path: '/etc/plexus/cert.pem', text: cert });
    expect(config.listeners[0]?.tls?.keyFile.secret.reveal()).toBe(key);
    expect(config.clusters[0]).toMatchObject({
      hashKey: { source: 'header', header: 'x-user' },
      healthCheck: {
        expected: [
          { from: 200, to: 200 },
          { from: 301, to: 302 },
        ],
      },
      retry: { on: { connectFailure: false, resetBeforeHeaders: false, statusCodes: [503] } },
    });
    expect(config.routes.map(({ host, line }) => [host, line])).toEqual([
      ['api.example.com', 10],
      ['*.example.com', 12],
      ['[2001:db8::1]', 13],
    ]);
    expect(config.routes[0]?.requestHeaders).toEqual({
      set: [
        ['host', 'internal'],
        ['__proto__', 'x'],
      ],
      remove: ['x-debug'],
    });
  });

  it('accepts the HAProxy engine', () => {
    const { engine } = parse(`admin_address: 127.0.0.1:9901
engine: { kind: haproxy, socket: run/admin.sock, config: /etc/haproxy/haproxy.cfg }
`);

    expect(engine).toEqual({
      kind: 'haproxy',
      socket: '/etc/plexus/run/admin.sock',
      config: '/etc/haproxy/haproxy.cfg',
    });
  });

  it('shows at most a hundred faults, and the total number', () => {
    const listeners = Array.from({ length: 150 }, () => '  - { name: web }').join('\n');

    const failure = (): unknown => parse(`listeners:\n${listeners}\n`);

    expect(failure).toThrow(/(proxy\.yaml:\d+:\d+: .*\n){100}proxy\.yaml: and 199 more$/);
  });

  it('reads any number of routes in bounded time', () => {
    const routes = Array.from({ length: 9_999 }, (_, index) => `  - { prefix: /${index}, cluster: api }`);

    const config = parse(`${MINIMAL.replace(/^routes.*$/m, 'routes:')}${routes.join('\n')}\n`);

    expect(config.routes.at(-1)?.line).toBe(10_002);
  });
});

describe('warnings of parseProxyConfig', () => {
  it('report what is allowed but probably not intended', () => {
    const { warnings } = parse(
      `admin_address: 0.0.0.0:9901
listeners:
  - { name: web, address: 127.0.0.1:8443, tls: { cert_file: cert.pem, key_file: key.pem } }
  - { name: other, address: 127.0.0.1:8444 }
clusters:
  - { name: api, endpoints: [{ address: a:1 }] }
  - { name: old, endpoints: [{ address: a:2 }], tls: { verify: false } }
routes:
  - { prefix: /, cluster: api, listeners: [web] }
  - { prefix: /, cluster: api }
  - { prefix: /, cluster: api, listeners: [other] }
  - { host: a.example, prefix: /, cluster: api }
`,
      Date.now() + YEAR_MS,
    );

    expect(warnings).toEqual([
      'proxy.yaml:1:16: admin_address: any client that can reach this address may read; changes are rejected without admin.token_env',
      expect.stringMatching(
        /^proxy\.yaml:3:61: listeners\.0\.tls\.cert_file: the certificate was valid until /,
      ),
      'proxy.yaml:7:13: clusters.1.name: unused cluster',
      expect.stringMatching(
        /^proxy\.yaml:7:64: clusters\.1\.tls\.verify: certificates are not verified: every host /,
      ),
      'proxy.yaml:11:5: routes.2: never used: the route on line 10 comes first',
    ]);
  });

  it('report a certificate that is not valid yet', () => {
    const tls = 'tls: { cert_file: cert.pem, key_file: key.pem }';
    const { warnings } = parse(
      `listeners: [{ name: web, address: 127.0.0.1:8443, ${tls} }]\n`,
      Date.now() - YEAR_MS,
    );

    expect(warnings).toEqual([
      expect.stringMatching(
        /^proxy\.yaml:1:\d+: listeners\.0\.tls\.cert_file: the certificate is valid from /,
      ),
    ]);
  });

  it.each([
    ['127.0.0.1:9901', 0],
    ['127.9.9.9:9901', 0],
    ['localhost:9901', 0],
    ['"[::1]:9901"', 0],
    ['"[::]:9901"', 1],
    ['10.0.0.1:9901', 1],
    ['admin.internal:9901', 1],
  ])('report the admin address %s: %d', (address, count) => {
    expect(parse(`admin_address: ${address}\nadmin: { token_env: TOKEN }\n`).warnings).toHaveLength(count);
  });
});
