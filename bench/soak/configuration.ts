/** The configuration of the proxy under soak, in many variants: each reload uses another one. */
import type { Chance } from './chance.ts';

export interface SoakPorts {
  readonly admin: number;
  readonly orderly: number;
  readonly unruly: number;
  readonly stream: number;
  readonly extra: number;
}

export interface SoakUpstreams {
  readonly sound: readonly string[];
  readonly faulty: readonly string[];
  readonly stream: readonly string[];
}

const DEAD = '127.0.0.1:1';

export interface SoakEnvironment {
  readonly ports: SoakPorts;
  readonly upstreams: SoakUpstreams;
  /** Number of processes of the proxy. */
  readonly workers: number;
}

export function configurationOf({ ports, upstreams, workers }: SoakEnvironment, chance: Chance): object {
  const at = (port: number): string => `127.0.0.1:${port}`;
  const addresses = (all: readonly string[]) => all.map((address) => ({ address }));
  const orderly = { name: 'orderly', address: at(ports.orderly), idle_timeout: chance.pick(['20s', '30s']) };
  const unruly = {
    name: 'unruly',
    address: at(ports.unruly),
    header_timeout: '500ms',
    idle_timeout: chance.pick(['1s', '800ms']),
    max_header_bytes: 8_192,
    max_connections: 40,
  };
  const stream = {
    name: 'stream',
    address: at(ports.stream),
    protocol: 'tcp',
    cluster: 'stream',
    idle_timeout: chance.pick(['1s', '2s']),
  };
  const extra = { name: 'extra', address: at(ports.extra) };
  return {
    admin_address: at(ports.admin),
    admin: { extensions: true },
    workers,
    listeners: [orderly, unruly, stream, ...(chance.next() < 0.5 ? [extra] : [])],
    clusters: [
      {
        name: 'sound',
        lb_policy: chance.pick(['round_robin', 'least_request', 'random']),
        endpoints: addresses(upstreams.sound),
        health_check: { type: 'tcp', interval: '1s', timeout: '900ms', unhealthy_threshold: 5 },
      },
      faultyCluster(addresses([...upstreams.faulty.slice(chance.upTo(2)), DEAD]), chance),
      { name: 'stream', endpoints: addresses([...upstreams.stream, DEAD]), retry: { max: 2 } },
    ],
    routes: [
      { listeners: ['orderly'], prefix: '/', cluster: 'sound', timeout: '60s' },
      { listeners: ['unruly'], host: 'soak.example', prefix: '/ws', cluster: 'faulty', websocket: true },
      {
        listeners: ['unruly'],
        host: 'soak.example',
        prefix: '/',
        cluster: 'faulty',
        timeout: chance.pick(['300ms', '500ms']),
        stream_timeout: '500ms',
      },
    ],
    drain: { grace: '300ms', timeout: '5s' },
  };
}

function faultyCluster(endpoints: readonly object[], chance: Chance): object {
  return {
    name: 'faulty',
    lb_policy: chance.pick(['round_robin', 'least_request', 'random', 'ring_hash']),
    endpoints,
    retry: { on: ['connect_failure', 'reset_before_headers', 502, 503], max: 2, budget_percent: 50 },
    outlier_detection: { consecutive_5xx: 5, base_ejection_time: '200ms', max_ejection_percent: 50 },
    health_check: { type: 'tcp', interval: '500ms', timeout: '400ms' },
    circuit_breaker: { max_connections: chance.pick([6, 24]), max_pending_requests: 4, max_requests: 24 },
  };
}
