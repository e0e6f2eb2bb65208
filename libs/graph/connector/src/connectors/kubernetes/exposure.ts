/** Which workloads can be reached through which services and ingresses, and from where. */
import { BlockList, isIP } from 'node:net';
import type { EntityKey } from '#graph/model';
import type { DocumentValue } from '../document/document-value.ts';
import { INTERNET, isAnywhere } from '../document/internet.ts';
import type { ClusterRecords, KubeObject } from './kubernetes-objects.ts';
import { type Labels, matchesLabels, matchesSelector } from './label-selector.ts';
import { podLabelsOf, podSpecOf } from './pod-specs.ts';

interface Selecting {
  readonly key: EntityKey;
  readonly namespace: string;
  readonly verb: string;
  readonly matches: (labels: Labels) => boolean;
}

interface Selected {
  readonly key: EntityKey;
  readonly labels: Labels;
}

/** Annotations by which clouds make a load balancer private, in lower case. */
const PRIVATE = /load-?balancer-?(?:internal|type|scheme)$/;
const PRIVATE_VALUE = /^(?:true|internal|private|0\.0\.0\.0\/0)$/i;

const LOCAL = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  LOCAL.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  LOCAL.addSubnet(network, prefix, 'ipv6');

export class Exposure {
  readonly #cluster: ClusterRecords;
  readonly #selecting: Selecting[] = [];
  readonly #selected = new Map<string, Selected[]>();

  constructor(cluster: ClusterRecords) {
    this.#cluster = cluster;
  }

  read(object: KubeObject): void {
    const { kind, key, namespace, value } = object;
    if (podSpecOf(object) !== undefined) {
      const others = this.#selected.get(namespace);
      const own = { key, labels: podLabelsOf(object) };
      if (others === undefined) this.#selected.set(namespace, [own]);
      else others.push(own);
    }
    if (kind === 'Service') this.#readService(object);
    if (kind === 'Ingress') this.#readIngress(object);
    if (kind === 'NetworkPolicy') {
      const spec = value.object('spec');
      const selector = spec.object('podSelector');
      const types = spec.texts('policyTypes');
      const facts = { policy_types: types.length === 0 ? undefined : types };
      this.#cluster.records.entity(key, 'Firewall', facts);
      this.#selecting.push({
        key,
        namespace,
        verb: 'PROTECTS',
        matches: (labels) => matchesSelector(selector, labels),
      });
    }
  }

  finish(): void {
    for (const { key, namespace, verb, matches } of this.#selecting)
      for (const each of this.#selected.get(namespace) ?? [])
        if (matches(each.labels)) this.#cluster.records.relate(key, verb, each.key);
  }

  #readService({ key, namespace, value }: KubeObject): void {
    const spec = value.object('spec');
    const selector = spec.object('selector').textFields();
    if (selector.size > 0)
      this.#selecting.push({
        key,
        namespace,
        verb: 'EXPOSES',
        matches: (labels) => matchesLabels(selector, labels),
      });
    const type = spec.text('type') ?? 'ClusterIP';
    const exposure = exposureOf(value, spec, type);
    const ports = spec
      .objects('ports')
      .map((each) => `${each.text('protocol') ?? 'TCP'}/${requiredPort(each)}`);
    this.#cluster.records.entity(key, 'Service', {
      service_type: type,
      exposure,
      ports: ports.length === 0 ? undefined : ports,
      node_ports: nodePortsOf(spec),
      addresses: listOf([...addressesOf(value), ...spec.texts('externalIPs')]),
      source_ranges: listOf(spec.texts('loadBalancerSourceRanges')),
    });
    if (exposure === 'public') this.#reachable(key);
  }

  #readIngress({ key, namespace, value }: KubeObject): void {
    const spec = value.object('spec');
    const rules = spec.objects('rules');
    const paths = rules.flatMap((rule) => rule.object('http').objects('paths'));
    const backends = [
      spec.object('defaultBackend'),
      spec.object('backend'),
      ...paths.map((path) => path.object('backend')),
    ];
    // Before networking.k8s.io/v1, the name stood apart.
    const names = backends.flatMap(
      (each) => each.object('service').text('name') ?? each.text('serviceName') ?? [],
    );
    for (const name of names)
      this.#cluster.records.relate(key, 'EXPOSES', this.#cluster.named('Service', namespace, name));
    const addresses = addressesOf(value);
    const isPublic = addresses.some(isPublicAddress);
    this.#cluster.records.entity(key, 'Gateway', {
      hosts: listOf(rules.flatMap((rule) => rule.text('host') ?? [])),
      tls: spec.objects('tls').length > 0,
      addresses: listOf(addresses),
      exposure: addresses.length === 0 ? 'unknown' : isPublic ? 'public' : 'private',
    });
    if (isPublic) this.#reachable(key);
  }

  #reachable(key: EntityKey): void {
    this.#cluster.records.relate(
      this.#cluster.records.entity(INTERNET, 'Network', { name: 'Internet' }),
      'CONNECTS',
      key,
    );
  }
}

/** `public`, `private`, `restricted` to ranges, `node` for a port of every node, or `cluster`. */
function exposureOf(value: DocumentValue, spec: DocumentValue, type: string): string {
  if (spec.texts('externalIPs').some(isPublicAddress)) return 'public';
  if (type === 'NodePort') return 'node';
  if (type !== 'LoadBalancer') return 'cluster';
  const annotations = value.at('metadata', 'annotations').textFields();
  const isPrivate = [...annotations].some(
    ([name, text]) => PRIVATE.test(name.toLowerCase()) && PRIVATE_VALUE.test(text),
  );
  const addresses = addressesOf(value);
  if (isPrivate || (addresses.length > 0 && !addresses.some(isPublicAddress))) return 'private';
  const ranges = spec.texts('loadBalancerSourceRanges');
  return ranges.length > 0 && !ranges.some(isAnywhere) ? 'restricted' : 'public';
}

/** The addresses that a load balancer has been given. */
function addressesOf(value: DocumentValue): readonly string[] {
  const given = value.at('status', 'loadBalancer').objects('ingress');
  return given.flatMap((each) => each.text('ip') ?? each.text('hostname') ?? []);
}

/** A name is that of a public load balancer, unless an annotation says otherwise. */
function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  return family === 0
    ? !/\.(?:local|internal|cluster\.local)$/.test(address)
    : !LOCAL.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

function nodePortsOf(spec: DocumentValue): readonly number[] | undefined {
  const ports = spec.objects('ports').flatMap((each) => each.number('nodePort') ?? []);
  return ports.length === 0 ? undefined : ports;
}

function listOf(texts: readonly string[]): readonly string[] | undefined {
  return texts.length === 0 ? undefined : [...new Set(texts)];
}

function requiredPort(port: DocumentValue): number {
  const number = port.number('port');
  if (number !== undefined) return number;
  throw port.fault('port', 'expected a number, got nothing');
}
