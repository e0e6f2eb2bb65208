import type { EntityKey } from '#graph/model';
import type { GraphEntities, KnownEntity } from '../../run/graph-entities.port.ts';
import { parsePackageUrl } from '../sbom/package-url.ts';
import { ecosystemOf, isModular, LINUX_TYPES, PACKAGE_TYPES } from './ecosystems.ts';

/** A package of the graph, whichever source has said it. */
export interface KnownPackage {
  readonly key: EntityKey;
  readonly version: string;
  /** Those of a Linux distribution: `debian` and `12.5`, or the name of the release. */
  readonly distro: string | undefined;
  readonly release: string | undefined;
}

/** Other names that scanners have for a system. */
const SYSTEMS: ReadonlyMap<string, string> = new Map([
  ['alma', 'almalinux'],
  ['rockylinux', 'rocky'],
]);
const CODENAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    buster: '10',
    bullseye: '11',
    bookworm: '12',
    trixie: '13',
    forky: '14',
    bionic: '18.04',
    focal: '20.04',
    jammy: '22.04',
    noble: '24.04',
  }),
);

/** The packages of the graph, by type and by the names that advisories have for them. */
export class KnownPackages {
  readonly #byName = new Map<string, KnownPackage[]>();

  constructor(graph: GraphEntities) {
    for (const type of PACKAGE_TYPES) for (const entity of graph.ofType(type)) this.#add(type, entity);
  }

  /** The packages that an entry of an advisory is about, of any version. */
  find(ecosystemText: string, name: string): readonly KnownPackage[] {
    const found = ecosystemOf(ecosystemText);
    if (found === undefined) return [];
    const { ecosystem, release } = found;
    const named =
      this.#byName.get(`${ecosystem.type} ${spelled(ecosystem.type, ecosystem.normalName(name))}`) ?? [];
    if (ecosystem.distro === undefined) return named;
    return named.filter((each) => each.distro === ecosystem.distro && isOfRelease(each.release, release));
  }

  /**
   * How many packages are of a system of which no advisory was given: nothing is known of these. `given` are
   * the ecosystems of the advisories.
   */
  withoutAdvisories(given: ReadonlySet<string>): ReadonlyMap<string, number> {
    const ecosystems = Array.from(given, ecosystemOf).filter((each) => each !== undefined);
    const systems = new Map<string, { readonly known: KnownPackage; count: number }>();
    for (const packages of this.#byName.values())
      for (const known of packages) {
        const name = systemOf(known);
        const system = systems.get(name) ?? { known, count: 0 };
        system.count++;
        systems.set(name, system);
      }
    const isCovered = ({ key, distro, release }: KnownPackage): boolean =>
      ecosystems.some(
        ({ ecosystem, release: wanted }) =>
          ecosystem.type === key.type &&
          (ecosystem.distro === undefined || (ecosystem.distro === distro && isOfRelease(release, wanted))),
      );
    const uncovered = [...systems].filter(([, { known }]) => !isCovered(known));
    return new Map(uncovered.map(([name, { count }]) => [name, count]));
  }

  /** How many are of modules, of which advisories do not say the stream. */
  get modularCount(): number {
    const isOfModule = ({ key, version }: KnownPackage): boolean =>
      key.type === 'rpm_package' && isModular(version);
    return [...this.#byName.values()].reduce((sum, packages) => sum + packages.filter(isOfModule).length, 0);
  }

  #add(type: string, entity: KnownEntity): void {
    const name = textOf(entity, 'name');
    const version = textOf(entity, 'version');
    if (name === undefined || version === undefined) return;
    const key = { type, key: entity.key };
    if (LINUX_TYPES.has(type)) {
      const linux = linuxPackage(entity, { key, name, version });
      this.#put(type, linux.name, linux.known);
    } else this.#put(type, name, { key, version, distro: undefined, release: undefined });
  }

  #put(type: string, name: string, known: KnownPackage): void {
    const key = `${type} ${spelled(type, name)}`;
    const others = this.#byName.get(key);
    if (others === undefined) this.#byName.set(key, [known]);
    else others.push(known);
  }
}

interface NamedPackage {
  readonly key: EntityKey;
  readonly name: string;
  readonly version: string;
}

/** A package of a distribution; advisories of Debian and Alpine name the source of which it is built. */
function linuxPackage(
  entity: KnownEntity,
  { key, name, version }: NamedPackage,
): { readonly name: string; readonly known: KnownPackage } {
  // Collectors of machines state no package URL, and the name without the system: the key has both.
  const [, path = name, variant = ''] = /^([^@?#]+)@[^?#]*(\?[^#]*)?/.exec(key.key) ?? [];
  const query = qualifiersOf(parsePackageUrl(textOf(entity, 'purl') ?? '')?.variant ?? variant);
  const [namespace = '', ...rest] = path.split('/');
  const known = { key, ...distroOf(query.get('distro'), namespace) };
  const whole = withEpoch(version, query.get('epoch'));
  const source = sourceOf(entity, query.get('upstream'));
  if (key.type === 'rpm_package' || source === undefined)
    return { name: rest.join('/') || name, known: { ...known, version: whole } };
  return { name: source.name, known: { ...known, version: source.version ?? whole } };
}

/** `?distro=debian-12&epoch=1`, as keys have it: values are not encoded. */
function qualifiersOf(variant: string): ReadonlyMap<string, string> {
  const pairs = variant.slice(1).split('&');
  return new Map(pairs.map((pair) => [pair.replace(/=.*$/s, ''), pair.replace(/^[^=]*=?/, '')]));
}

/** `debian 12.5`, `npm`. */
function systemOf({ key, distro, release }: KnownPackage): string {
  if (distro === undefined) return key.type.replace(/_package$/, '');
  return release === undefined ? `${distro} without a release` : `${distro} ${release}`;
}

/** `debian-12.5`, or the release alone, where the name of the package begins with the system. */
function distroOf(text: string | undefined, namespace: string): Pick<KnownPackage, 'distro' | 'release'> {
  const [, distro = namespace, release] = /^(?:([a-z]+)-)?(.+)$/.exec(text ?? '') ?? [];
  return { distro: SYSTEMS.get(distro) ?? distro, release };
}

function sourceOf(
  entity: KnownEntity,
  upstream: string | undefined,
): { readonly name: string; readonly version: string | undefined } | undefined {
  const [stated = '', version] = upstream?.split('@') ?? [];
  const name = textOf(entity, 'source_name') ?? stated;
  return name === '' ? undefined : { name, version: textOf(entity, 'source_version') ?? version };
}

function withEpoch(version: string, epoch: string | undefined): string {
  return epoch === undefined || version.includes(':') ? version : `${epoch}:${version}`;
}

/** Package URLs spell names of PyPI with dashes, but keep dots. */
function spelled(type: string, name: string): string {
  return type === 'pypi_package' ? name.toLowerCase().replace(/[-_.]+/g, '-') : name;
}

/** `12.5` is of `12`; `22.04` of `22.04`; `3.18.4` of `v3.18`. A package without a release is of none. */
function isOfRelease(own: string | undefined, wanted: string): boolean {
  if (own === undefined) return false;
  const release = (CODENAMES.get(own) ?? own).replace(/^v/, '');
  const whole = wanted.replace(/^v/, '');
  return whole === '' || release === whole || release.startsWith(`${whole}.`);
}

function textOf(entity: KnownEntity, name: string): string | undefined {
  const value = entity.field(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
