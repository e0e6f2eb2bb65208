import type { EntityInput, PropertyValue } from '#graph/model';
import { knownProperties } from '../bill-builder.ts';
import { npmKey } from '../component-name.ts';
import { fittingKey } from '../../document/fitting-key.ts';
import type { LockEntry } from './lock-entry.ts';

/**
 * A package in one version, for all its installed copies, or a project. Each copy adds facts.
 */
export class PackageVersion {
  readonly type: 'npm_package' | 'npm_project';
  readonly name: string;
  readonly version: string | undefined;
  readonly entry: LockEntry;
  /** Distance from the nearest project; undefined until it is reached. */
  depth: number | undefined;
  #copies = 0;
  #isDev = true;
  #isOptional = true;
  #isBundled = true;
  #hasInstallScript = false;

  constructor(type: PackageVersion['type'], name: string, entry: LockEntry) {
    this.type = type;
    this.name = name;
    this.version = entry.version;
    this.entry = entry;
  }

  /** A project is one entity for all its versions; a package is one per version. */
  get key(): string {
    return fittingKey(this.#wholeKey);
  }

  /** Whether the key is not the whole name. */
  get isCut(): boolean {
    return this.key !== this.#wholeKey;
  }

  get #wholeKey(): string {
    return npmKey(this.name, this.type === 'npm_project' ? undefined : this.version);
  }

  addCopy(entry: LockEntry): void {
    this.#copies++;
    this.#isDev &&= entry.isDev;
    this.#isOptional &&= entry.isOptional;
    this.#isBundled &&= entry.isBundled;
    this.#hasInstallScript ||= entry.hasInstallScript;
  }

  toEntity(): EntityInput {
    const isProject = this.type === 'npm_project';
    const facts = { ...this.#facts(), ...(isProject ? {} : this.#packageFacts()) };
    const { type, key } = this;
    return {
      type,
      key,
      class: isProject ? 'Project' : 'Package',
      displayName: key,
      properties: knownProperties(facts),
    };
  }

  #facts(): Record<string, PropertyValue | undefined> {
    const { name, version, entry } = this;
    return { name, version, license: entry.licence, node_range: entry.nodeRange };
  }

  #packageFacts(): Record<string, PropertyValue | undefined> {
    const { name, version, entry, depth } = this;
    return {
      scope: name.startsWith('@') ? name.slice(0, name.indexOf('/')) : undefined,
      purl: packageUrl(name, version),
      depth,
      copies: this.#copies,
      dev: this.#isDev,
      optional: this.#isOptional,
      bundled: this.#isBundled,
      has_install_script: this.#hasInstallScript,
      deprecated: entry.deprecated,
      integrity: entry.integrity,
      resolved: entry.resolved === undefined ? undefined : withoutCredentials(entry.resolved),
      ...entry.platforms,
    };
  }
}

/** https://github.com/package-url/purl-spec */
export function packageUrl(name: string, version: string | undefined, registry = 'npm'): string {
  const path = name.split('/').map(encodeURIComponent).join('/');
  return `pkg:${registry}/${path}${version === undefined ? '' : `@${encodeURIComponent(version)}`}`;
}

/** A tarball's URL may carry a user and a token. */
export function withoutCredentials(resolved: string): string {
  return resolved.replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1');
}
