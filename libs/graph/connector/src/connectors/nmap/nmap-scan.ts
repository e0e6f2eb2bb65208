import { DomainError } from '#platform/foundation';
import { streamXml, type XmlElement } from '../document/xml-tree.ts';

type Facts = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface ScannedPort {
  /** `tcp/22`. */
  readonly name: string;
  readonly protocol: string;
  readonly number: number;
  readonly facts: Facts;
  readonly cpes: readonly string[];
}

export interface ScannedHost {
  /** Its address of version 4, else of version 6, else of its network card. */
  readonly key: string;
  readonly atMs: number;
  /** Whether nmap gave the host up (`--host-timeout`): then nothing is known of its ports and its system. */
  readonly isGivenUp: boolean;
  readonly facts: Facts;
  readonly cpes: readonly string[];
  /** Those that answer. */
  readonly ports: readonly ScannedPort[];
}

export interface NmapScan {
  /** Whether it asked a port, so that what it does not name is closed. */
  readonly covers: (protocol: string, number: number) => boolean;
  /** Why it is not the whole of what it set out to be. */
  readonly fault: string | undefined;
}

export interface ScanUse {
  readonly onHost: (host: ScannedHost) => void;
  readonly onIgnored: (kind: string, count: number) => void;
}

const WHAT = 'the output of nmap in XML';
const OPEN: ReadonlySet<string> = new Set(['open', 'open|filtered']);
const TEXT_MAX = 4_000;
const UNSTATED = 'without a state';

/** Reads one report. Hosts come before what the scan says at its end. */
export async function readNmapScan(pieces: AsyncIterable<Uint8Array>, use: ScanUse): Promise<NmapScan> {
  const asked: AskedPorts[] = [];
  let fault: string | undefined = 'nmap had not finished';
  const onChild = (element: XmlElement): void => {
    const { name, attributes } = element;
    if (name === 'scaninfo') asked.push(askedPorts(attributes));
    else if (name === 'host') readHost(element, use);
    else if (name === 'runstats') fault = faultIn(element);
  };
  const root = await streamXml(pieces, WHAT, onChild);
  if (root.name !== 'nmaprun')
    throw new DomainError(
      'INVALID_REQUEST',
      `expected ${WHAT}, got the element ${root.name} in line ${root.line}`,
    );
  const covers = (protocol: string, number: number): boolean =>
    asked.some((each) => each.protocol === protocol && each.covers(number));
  return { covers, fault };
}

interface AskedPorts {
  readonly protocol: string;
  readonly covers: (number: number) => boolean;
}

/** `services="22,80,8000-8010"`; without the list, as of masscan, all ports of the protocol. */
function askedPorts({ protocol = 'tcp', services = '' }: XmlElement['attributes']): AskedPorts {
  const ranges = services.split(',').flatMap((part) => {
    const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part.trim()) ?? [];
    return first === undefined ? [] : [{ first: Number(first), last: Number(last) }];
  });
  const isAll = ranges.length === 0;
  return {
    protocol,
    covers: (number) => isAll || ranges.some(({ first, last }) => first <= number && number <= last),
  };
}

function faultIn(element: XmlElement): string | undefined {
  const finished = child(element, 'finished')?.attributes;
  if (finished?.['exit'] === 'success') return undefined;
  return finished?.['errormsg'] ?? 'nmap ended with an error';
}

function readHost(element: XmlElement, { onHost, onIgnored }: ScanUse): void {
  const state = child(element, 'status')?.attributes['state'];
  if (state !== 'up') {
    onIgnored(`hosts that are ${state ?? UNSTATED}`, 1);
    return;
  }
  const os = best(all(child(element, 'os'), 'osmatch'));
  onHost({
    ...identityOf(element, os),
    atMs: timeOf(element),
    isGivenUp: element.attributes['timedout'] === 'true',
    cpes: os === undefined ? [] : cpesIn(all(os, 'osclass')),
    ports: openPorts(child(element, 'ports'), onIgnored),
  });
}

function identityOf(element: XmlElement, os: XmlElement | undefined): Pick<ScannedHost, 'key' | 'facts'> {
  const addresses = new Map(
    all(element, 'address').map(({ attributes }) => [attributes['addrtype'], attributes['addr']]),
  );
  const address = addresses.get('ipv4') ?? addresses.get('ipv6');
  const mac = addresses.get('mac');
  const key = address ?? mac;
  if (key === undefined)
    throw new DomainError('INVALID_REQUEST', `expected an address of the host in line ${element.line}`);
  const hostnames = all(child(element, 'hostnames'), 'hostname');
  const names = [...new Set(hostnames.flatMap(({ attributes }) => attributes['name'] ?? []))];
  const facts = {
    name: names[0] ?? key,
    names: names.length === 0 ? undefined : names,
    address,
    mac,
    os: os?.attributes['name'],
    os_accuracy: numberIn(os?.attributes['accuracy']),
    ...scriptsIn(child(element, 'hostscript')),
  };
  return { key, facts };
}

function timeOf({ attributes }: XmlElement): number {
  const seconds = Number(attributes['endtime'] ?? attributes['starttime'] ?? 0);
  return Number.isFinite(seconds) ? seconds * 1_000 : 0;
}

/** Ports in other states are counted; nmap sums most of them up. */
function openPorts(ports: XmlElement | undefined, onIgnored: ScanUse['onIgnored']): readonly ScannedPort[] {
  for (const { attributes } of all(ports, 'extraports'))
    onIgnored(`ports that are ${attributes['state'] ?? UNSTATED}`, numberIn(attributes['count']) ?? 0);
  const open: ScannedPort[] = [];
  for (const port of all(ports, 'port')) {
    if (OPEN.has(stateOf(port))) open.push(portOf(port));
    else onIgnored(`ports that are ${stateOf(port)}`, 1);
  }
  return open;
}

function portOf(element: XmlElement): ScannedPort {
  const { protocol = 'tcp', portid = '' } = element.attributes;
  const port = numberIn(portid);
  if (port === undefined || port > 65_535)
    throw new DomainError(
      'INVALID_REQUEST',
      `expected the number of a port in line ${element.line}, got "${portid}"`,
    );
  const service = child(element, 'service');
  const { name, product, version, extrainfo, tunnel, method, conf } = service?.attributes ?? {};
  return {
    name: `${protocol}/${port}`,
    protocol,
    number: port,
    facts: {
      name: `${protocol}/${port}`,
      protocol,
      port,
      state: stateOf(element),
      service: name,
      product,
      version,
      extra_info: extrainfo,
      tunnel,
      // By the table of well-known ports, or by what the service has answered.
      method,
      confidence: numberIn(conf),
      ...scriptsIn(element),
    },
    cpes: service === undefined ? [] : cpesIn([service]),
  };
}

/** The output of scripts: `http-title` is `script_http_title`. */
function scriptsIn(element: XmlElement | undefined): Facts {
  const scripts = all(element, 'script').flatMap(({ attributes: { id, output } }) =>
    id === undefined || output === undefined
      ? []
      : [
          [
            `script_${id.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`,
            output.trim().slice(0, TEXT_MAX),
          ] as const,
        ],
  );
  return Object.fromEntries(scripts);
}

function cpesIn(elements: readonly XmlElement[]): readonly string[] {
  const cpes = elements.flatMap((element) => all(element, 'cpe').map(({ text }) => text));
  return [...new Set(cpes.filter((cpe) => /^cpe:(?:\/|2\.3:)[aho*-]/.test(cpe)))];
}

function best(matches: readonly XmlElement[]): XmlElement | undefined {
  const accuracy = ({ attributes }: XmlElement): number => Number(attributes['accuracy'] ?? 0);
  return matches.toSorted((a, b) => accuracy(b) - accuracy(a))[0];
}

function stateOf(port: XmlElement): string {
  return child(port, 'state')?.attributes['state'] ?? UNSTATED;
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function child(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((each) => each.name === name);
}

function all(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter((each) => each.name === name) ?? [];
}
