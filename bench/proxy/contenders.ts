import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../harness/free-port.ts';
import { ProxyProcess } from './proxy-process.ts';

/** A proxy under test, by its name in the table. */
export interface Contender {
  readonly name: string;
  readonly process: ProxyProcess;
  /** The URL of its metrics, if any. */
  readonly adminPort?: number;
}

const program = (name: string) => new URL(`./${name}.ts`, import.meta.url).pathname;
const PLEXUS = new URL('../../dist/apps/proxy-admin/src/main.js', import.meta.url).pathname;

/** The version printed by `haproxy -v`, or null when it is not installed. */
export function haproxyVersion(): string | null {
  const { status, stdout } = spawnSync('haproxy', ['-v'], { encoding: 'utf8' });
  return status === 0 ? (/version (\S+)/i.exec(stdout)?.[1] ?? 'of some version') : null;
}

export async function startUpstream(): Promise<ProxyProcess> {
  const port = await freePort();
  return ProxyProcess.start(process.execPath, [program('upstream'), String(port)], port);
}

/** A proxy implemented by a program of this folder. */
export async function startProgram(name: string, upstreamPort: number): Promise<Contender> {
  const port = await freePort();
  const args = [program(`${name}-server`), String(port), String(upstreamPort)];
  return { name, process: await ProxyProcess.start(process.execPath, args, port) };
}

export async function startHaproxy(
  protocol: 'http' | 'tcp',
  upstreamPort: number,
  directory: string,
): Promise<Contender> {
  const port = await freePort();
  const path = join(directory, `haproxy-${protocol}.cfg`);
  writeFileSync(
    path,
    `global
  nbthread 1
  maxconn 8000
  log stderr format raw local0
defaults
  mode ${protocol}
  log global
  option ${protocol}log
  ${protocol === 'http' ? 'option forwardfor' : ''}
  timeout connect 1s
  timeout client 60s
  timeout server 60s
frontend web
  bind 127.0.0.1:${port}
  default_backend api
backend api
  balance leastconn
  server one 127.0.0.1:${upstreamPort} check
`,
  );
  return { name: 'haproxy', process: await ProxyProcess.start('haproxy', ['-db', '-f', path], port) };
}

/**
 * All features enabled: access log, routes, health check, outlier detection, breaker, retries, header rules.
 */
export async function startPlexus(
  protocol: 'http' | 'tcp',
  upstreamPort: number,
  directory: string,
  workers = 1,
): Promise<Contender> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const path = join(directory, `plexus-${protocol}-${workers}.yaml`);
  const listener = { name: 'web', address: `127.0.0.1:${port}`, protocol, access_log: true };
  const configuration = {
    admin_address: `127.0.0.1:${adminPort}`,
    admin: { extensions: true },
    workers,
    listeners: [
      protocol === 'tcp' ? { ...listener, cluster: 'api' } : { ...listener, max_connections: 20_000 },
    ],
    clusters: [
      {
        name: 'api',
        lb_policy: 'least_request',
        endpoints: [{ address: `127.0.0.1:${upstreamPort}` }],
        health_check: { type: 'tcp', interval: '5s', timeout: '1s' },
        outlier_detection: { consecutive_5xx: 5 },
        circuit_breaker: { max_connections: 4_096, max_pending_requests: 4_096, max_requests: 4_096 },
        ...(protocol === 'http' && { retry: { on: ['connect_failure', 'reset_before_headers'], max: 1 } }),
      },
    ],
    ...(protocol === 'http' && {
      routes: [
        { host: 'api.example.com', prefix: '/v1', cluster: 'api', timeout: '15s' },
        {
          host: '*.example.com',
          prefix: '/',
          cluster: 'api',
          request_headers: { set: { 'x-edge': 'bench' } },
        },
        { prefix: '/', cluster: 'api' },
      ],
    }),
  };
  writeFileSync(path, JSON.stringify(configuration));
  const args = [PLEXUS, '--log-format', 'json', 'run', path];
  const proxy = await ProxyProcess.start(process.execPath, args, port);
  return { name: 'plexus', process: proxy, adminPort };
}
