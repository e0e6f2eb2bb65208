export interface InstalledPackage {
  /** The type of its package URL. */
  readonly system: 'deb' | 'rpm' | 'apk';
  readonly name: string;
  /** Of rpm with its release, without its epoch. */
  readonly version: string;
  /** Of rpm, other than 0. */
  readonly epoch?: string | undefined;
  readonly architecture: string | undefined;
  readonly license?: string | undefined;
  /** Of which it was built, if that has another name. */
  readonly source?: string | undefined;
  readonly sourceVersion?: string | undefined;
  /** Of dpkg, other than installed: `half-configured`. */
  readonly state?: string | undefined;
}

/** The system of a package: `debian` and `12`. */
export interface PackageSystem {
  readonly id: string | undefined;
  readonly release: string | undefined;
}

/** Systems whose packages have another name in package URLs. */
const VENDORS: ReadonlyMap<string, string> = new Map([['rhel', 'redhat']]);

/** As scanners write it, so that a package of their bills is the same entity. */
export function packageUrlOf(
  { system, name, version, epoch, architecture }: InstalledPackage,
  { id = 'linux', release }: PackageSystem,
): string {
  const distro = release === undefined ? id : `${id}-${release}`;
  const path = [VENDORS.get(id) ?? id, name].map(encodeURIComponent).join('/');
  const qualifiers = Object.entries({ arch: architecture, distro, epoch }).flatMap(([field, value]) =>
    value === undefined ? [] : [`${field}=${encodeURIComponent(value)}`],
  );
  return `pkg:${system}/${path}@${encodeURIComponent(version)}?${qualifiers.join('&')}`;
}

/** What is stored of a package, whichever collector has found it. */
export function packageFacts(found: InstalledPackage): Readonly<Record<string, string | undefined>> {
  const { name, version, epoch, architecture, license, source, sourceVersion, state } = found;
  const own = { name, version, epoch, architecture, license, state };
  return { ...own, source_name: source, source_version: sourceVersion };
}

/** States of dpkg, and whether files of the package are on the machine, be it not wholly configured. */
const DPKG_STATES: ReadonlyMap<string, boolean> = new Map([
  ['not-installed', false],
  ['config-files', false],
  ['half-installed', true],
  ['unpacked', true],
  ['half-configured', true],
  ['triggers-awaited', true],
  ['triggers-pending', true],
  ['installed', true],
]);

export interface DpkgState {
  readonly name: string;
  readonly isPresent: boolean;
}

/** The last word of `install ok installed`; undefined for a text that is no status. */
export function dpkgStateOf(status = ''): DpkgState | undefined {
  const name = status.trim().split(/\s+/)[2] ?? '';
  const isPresent = DPKG_STATES.get(name);
  return isPresent === undefined ? undefined : { name, isPresent };
}

/** `openssl (3.0.15-1)`: the source of a package of Debian. */
export function debianSource(text = ''): Pick<InstalledPackage, 'source' | 'sourceVersion'> {
  const [, source, sourceVersion] = /^(\S+)(?:\s+\(([^)]*)\))?/.exec(text.trim()) ?? [];
  return { source, sourceVersion };
}
