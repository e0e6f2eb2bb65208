import {
  checkDocument,
  type DocumentFault,
  type DocumentPath,
  faultText,
  nameHint,
  type Shape,
  YamlDocument,
} from '#platform/config';
import { DomainError, isLoopback } from '#platform/foundation';
import { InvalidProxyConfig } from '../invalid-proxy-config.ts';
import { BARE_MACHINE, type Machine } from '../machine.ts';
import type { ProxyConfig, RouteConfig } from '../proxy-config.ts';
import { type ShapeContext, proxyShape, type WrittenConfig } from '../proxy-shape.ts';
import { addressesRule } from '../rules/addresses-rule.ts';
import { choicesRule, workersRule } from '../rules/dependent-keys.ts';
import { cyclesRule } from '../rules/cycles-rule.ts';
import { type ConfigRule, WrittenNode } from '../rules/written-node.ts';
import { firstCertificate } from '../tls-shape.ts';

/** Names are unique, and references exist. */
const namesRule: ConfigRule = (file) => {
  const listeners = file.items('listeners');
  const clusters = namesOf(file.items('clusters'));
  const httpListeners = namesOf(listeners.filter((listener) => listener.get('protocol').text !== 'tcp'));
  const leads = [...listeners, ...file.items('routes')].map((item) => item.get('cluster'));
  const places = file.items('routes').flatMap((route) => route.items('listeners'));
  return [
    ...repeated(listeners),
    ...repeated(file.items('clusters')),
    ...leads.flatMap((node) => unknown(node, 'cluster', clusters)),
    ...places.flatMap((node) => unknown(node, 'http listener', httpListeners)),
  ];
};

const RULES = [namesRule, addressesRule, cyclesRule, choicesRule, workersRule];
const FAULTS_SHOWN_MAX = 100;

export interface ProxyParseOptions extends ShapeContext {
  /** Name of the file for messages. */
  readonly file: string;
  /** Current time, to detect expired certificates. */
  readonly nowMs: number;
  /** This machine's addresses, to detect those that lead back to this proxy. */
  readonly machine?: Machine;
}

/** Reads YAML or JSON. Throws InvalidProxyConfig with all faults. */
export function parseProxyConfig(text: string, options: ProxyParseOptions): ProxyConfig {
  const document = parseDocument(text, options.file);
  const shape = proxyShape(options);
  const { result, faults } = checkDocument(shape, document.value);
  const written = new WrittenNode(document.value);
  const all = [...faults, ...RULES.flatMap((rule) => rule(written, options.machine ?? BARE_MACHINE))];
  const placed = new PlacedFaults(document, shape, options.file);
  if (result === undefined || all.length > 0) throw new InvalidProxyConfig(placed.texts(all));
  const config = complete(result, document);
  return deepFreeze({ ...config, warnings: placed.texts(findWarnings(config, options.nowMs)) });
}

function parseDocument(text: string, file: string): YamlDocument {
  try {
    return YamlDocument.parse(text, file);
  } catch (error) {
    if (error instanceof DomainError) throw new InvalidProxyConfig([error.message], error);
    throw error;
  }
}

function complete(written: WrittenConfig, document: YamlDocument): Omit<ProxyConfig, 'warnings'> {
  const lineOf = (index: number): number => document.placeOf(['routes', index]).line;
  return { ...written, routes: written.routes.map((route, index) => ({ ...route, line: lineOf(index) })) };
}

/** Faults with their positions, in the order of the file. */
class PlacedFaults {
  readonly #document: YamlDocument;
  readonly #shape: Shape<unknown>;
  readonly #file: string;

  constructor(document: YamlDocument, shape: Shape<unknown>, file: string) {
    this.#document = document;
    this.#shape = shape;
    this.#file = file;
  }

  texts(faults: readonly DocumentFault[]): readonly string[] {
    const placed = faults.map((fault) => {
      const at = isKnown(this.#shape, fault.path) ? 'value' : 'key';
      return { place: this.#document.placeOf(fault.path, at), text: faultText(fault) };
    });
    placed.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
    const texts = placed.map(({ place, text }) => `${this.#file}:${place.line}:${place.column}: ${text}`);
    if (texts.length <= FAULTS_SHOWN_MAX) return texts;
    const more = `${this.#file}: and ${texts.length - FAULTS_SHOWN_MAX} more`;
    return [...texts.slice(0, FAULTS_SHOWN_MAX), more];
  }
}

/** Whether the fault is in the value, not in its key. */
function isKnown(shape: Shape<unknown>, path: DocumentPath): boolean {
  let here: Shape<unknown> | undefined = shape;
  for (const part of path) {
    const { fields, item }: Shape<unknown> = here;
    here =
      typeof part === 'number' ? item : Object.hasOwn(fields ?? {}, part) ? fields?.[part]?.shape : undefined;
    if (here === undefined) return false;
  }
  return true;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}

function repeated(items: readonly WrittenNode[]): DocumentFault[] {
  const seen = new Set<string>();
  return items.flatMap((item) => {
    const name = item.get('name');
    if (name.text === undefined) return [];
    if (seen.has(name.text)) return [name.fault(`the name ${name.text} is already used`)];
    seen.add(name.text);
    return [];
  });
}

function unknown(node: WrittenNode, what: string, names: readonly string[]): DocumentFault[] {
  if (node.text === undefined || names.includes(node.text)) return [];
  return [node.fault(`there is no ${what} "${node.text}": ${nameHint(node.text, names)}`)];
}

function namesOf(items: readonly WrittenNode[]): readonly string[] {
  const names = items.map((item) => item.get('name').text ?? '').filter((name) => name !== '');
  return Array.from(new Set(names));
}

type CheckedConfig = Omit<ProxyConfig, 'warnings'>;

/** Reports settings that are allowed, but probably not intended. */
function findWarnings(config: CheckedConfig, nowMs: number): readonly DocumentFault[] {
  return [
    ...openAdmin(config),
    ...invalidCertificates(config, nowMs),
    ...unverifiedClusters(config),
    ...unusedClusters(config),
    ...hiddenRoutes(config),
  ];
}

function invalidCertificates({ listeners }: CheckedConfig, nowMs: number): DocumentFault[] {
  return listeners.flatMap(({ tls }, index) => {
    const certificate = tls === undefined ? undefined : firstCertificate(tls.certFile);
    if (certificate === undefined) return [];
    const { validFrom, validFromDate, validTo, validToDate } = certificate;
    const path = ['listeners', index, 'tls', 'cert_file'];
    if (validToDate.getTime() <= nowMs) {
      return [{ path, message: `the certificate was valid until ${validTo}` }];
    }
    const isEarly = validFromDate.getTime() > nowMs;
    return isEarly ? [{ path, message: `the certificate is valid from ${validFrom}` }] : [];
  });
}

function openAdmin({ adminAddress, admin }: CheckedConfig): DocumentFault[] {
  if (adminAddress === undefined || isLoopback(adminAddress.host)) return [];
  const message =
    admin.token === undefined
      ? 'any client that can reach this address may read; changes are rejected without admin.token_env'
      : 'any client that can reach this address may read';
  return [{ path: ['admin_address'], message }];
}

function unverifiedClusters({ clusters }: CheckedConfig): DocumentFault[] {
  const message = 'certificates are not verified: every host on the path can impersonate the endpoints';
  return clusters.flatMap(({ tls }, index) =>
    tls?.verify === false ? [{ path: ['clusters', index, 'tls', 'verify'], message }] : [],
  );
}

function unusedClusters({ listeners, clusters, routes }: CheckedConfig): DocumentFault[] {
  const used = new Set([...listeners, ...routes].map(({ cluster }) => cluster));
  return clusters.flatMap(({ name }, index) =>
    used.has(name) ? [] : [{ path: ['clusters', index, 'name'], message: 'unused cluster' }],
  );
}

/** Routes after another one with the same host and prefix, on no other listeners. */
function hiddenRoutes({ routes }: CheckedConfig): DocumentFault[] {
  const byPlace = Map.groupBy(routes.entries(), ([, { host, prefix }]) => `${host} ${prefix}`);
  return Array.from(byPlace.values()).flatMap((same) =>
    same.flatMap(([index, route], position) => {
      const hider = same.slice(0, position).find(([, before]) => isWithin(route, before));
      if (hider === undefined) return [];
      return [
        { path: ['routes', index], message: `never used: the route on line ${hider[1].line} comes first` },
      ];
    }),
  );
}

function isWithin({ listeners: inner }: RouteConfig, { listeners: outer }: RouteConfig): boolean {
  return outer === undefined || (inner?.every((name) => outer.includes(name)) ?? false);
}
