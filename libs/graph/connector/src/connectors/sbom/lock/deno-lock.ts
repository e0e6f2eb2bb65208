/**
 * `deno.lock` of the versions 3 to 5: packages of npm and JSR by name and version, and what the specifiers of
 * the project, `npm:chalk@^4`, stand for. Which project it is says the package.json beside it.
 */
import { FieldPath, isJsonObject, type JsonObject, kindOf } from '#graph/model';
import type { Bill } from '../bill-builder.ts';
import { BillValues } from '../bill-values.ts';
import { LockBill, PROJECT, readManifest, type ReadBeside } from './lock-bill.ts';

const VERSIONS: readonly unknown[] = ['3', '4', '5'];
const FIELDS = ['specifiers', 'packages', 'npm', 'jsr', 'remote', 'workspace'];
const KINDS: readonly (readonly [string, string])[] = [
  ['dependencies', 'prod'],
  ['optionalDependencies', 'optional'],
];
const ROOT = '.';

export function isDenoLock(document: JsonObject): boolean {
  return typeof document['version'] === 'string' && FIELDS.some((field) => isJsonObject(document[field]));
}

/** Throws INVALID_REQUEST with the place of a fault. `folder` is the name of a project without a manifest. */
export async function readDenoLock(lock: JsonObject, beside: ReadBeside, folder: string): Promise<Bill> {
  const { version } = lock;
  if (!VERSIONS.includes(version))
    throw new FieldPath().fault('version', 'expected "3", "4" or "5", as Deno writes');
  return new DenoLockReader(lock, folder).read(beside);
}

class DenoLockReader {
  readonly #values = new BillValues();
  readonly #bill = new LockBill(this.#values);
  readonly #lock: JsonObject;
  readonly #isOld: boolean;
  /** In version 3 below `packages`. */
  readonly #packages: JsonObject;
  readonly #folder: string;
  /** References of packages, by registry and name; undefined where several have the name. */
  readonly #byName = new Map<string, string | undefined>();

  constructor(lock: JsonObject, folder: string) {
    this.#lock = lock;
    this.#isOld = lock['version'] === '3';
    this.#packages = this.#isOld ? this.#bill.mapOf(lock['packages'], 'packages') : lock;
    this.#folder = folder;
  }

  async read(beside: ReadBeside): Promise<Bill> {
    const npm = this.#bill.objectsOf(this.#packages['npm'], 'npm');
    const jsr = this.#bill.objectsOf(this.#packages['jsr'], 'jsr');
    for (const [key, entry] of npm) this.#addPackage('npm', key, entry);
    for (const [key, entry] of jsr) this.#addPackage('jsr', key, entry);
    for (const [key, entry] of npm) this.#addNpmDependencies(key, entry);
    for (const [key, entry] of jsr)
      for (const specifier of this.#listOf(entry['dependencies'], key))
        this.#depend(`jsr:${key}`, { specifier, kind: 'prod', place: key });
    const root = this.#bill.mapOf(this.#lock['workspace'], 'workspace');
    await this.#addProject(ROOT, root, beside);
    for (const [path, value] of Object.entries(this.#bill.mapOf(root['members'], 'workspace.members')))
      await this.#addProject(path, this.#bill.mapOf(value, memberPlace(path)), beside);
    const remote = this.#bill.mapOf(this.#lock['remote'], 'remote');
    this.#values.ignore('remote modules', Object.keys(remote).length);
    return this.#bill.finish();
  }

  #addPackage(registry: 'npm' | 'jsr', key: string, entry: JsonObject): void {
    const [name, version] = nameIn(key);
    const reference = `${registry}:${key}`;
    const named = `${registry}:${name}`;
    this.#byName.set(named, this.#byName.has(named) ? undefined : reference);
    const integrity = this.#values.text({ value: entry, place: key }, 'integrity');
    const resolved = this.#values.text({ value: entry, place: key }, 'tarball');
    this.#bill.addPackage(reference, { name, version, integrity, resolved, registry }, key);
  }

  /** Lists of `name`, `name@version` or `alias@npm:name@version`; in version 3 a map of names to these. */
  #addNpmDependencies(key: string, entry: JsonObject): void {
    const owner = this.#bill.entityOf(`npm:${key}`);
    if (owner === undefined) return;
    for (const [list, kind] of KINDS) {
      const place = `${key}, ${list}`;
      const texts = this.#isOld
        ? this.#bill.textsOf(entry[list], place).map(([, text]) => text)
        : this.#listOf(entry[list], place);
      for (const text of texts) {
        const target = text.replace(/^.+@npm:/, '');
        const candidates = [`npm:${target}`, ...this.#only(`npm:${target}`)];
        this.#bill.depend({ owner, name: target, range: undefined, kind, candidates, place: key });
      }
    }
  }

  async #addProject(path: string, member: JsonObject, beside: ReadBeside): Promise<void> {
    const manifest = await readManifest(beside, path);
    const { name = path === ROOT ? this.#folder : path, version } = manifest;
    const project = this.#bill.addProject(PROJECT + path, { name, version }, path);
    const root = this.#bill.entityOf(PROJECT + ROOT);
    if (path !== ROOT && root !== undefined && project !== undefined)
      this.#bill.relate(root, 'CONTAINS', project);
    const place = path === ROOT ? 'workspace' : memberPlace(path);
    const ofManifest = this.#bill.mapOf(member['packageJson'], `${place}.packageJson`);
    for (const specifier of this.#listOf(ofManifest['dependencies'], place)) {
      const kind = manifest.dependencies?.get(nameOfSpecifier(specifier))?.kind ?? 'prod';
      this.#depend(PROJECT + path, { specifier, kind, place });
    }
    for (const specifier of this.#listOf(member['dependencies'], place))
      this.#depend(PROJECT + path, { specifier, kind: 'prod', place });
  }

  /** What a specifier such as `npm:chalk@^4` stands for, says the file. */
  #depend(
    reference: string,
    { specifier, kind, place }: { readonly specifier: string; readonly kind: string; readonly place: string },
  ): void {
    const owner = this.#bill.entityOf(reference);
    if (owner === undefined) return;
    const name = nameOfSpecifier(specifier);
    const registry = specifier.startsWith('jsr:') ? 'jsr' : 'npm';
    const specifiers = this.#bill.mapOf(this.#packages['specifiers'], 'specifiers');
    const resolved = specifiers[specifier];
    const version = typeof resolved === 'string' ? resolved : undefined;
    const named = `${registry}:${name}`;
    // In version 3 with the registry and the name.
    const candidates = version === undefined ? this.#only(named) : [version, `${named}@${version}`];
    const range = rangeOfSpecifier(specifier);
    this.#bill.depend({ owner, name, range, kind, candidates, place });
  }

  #only(name: string): readonly string[] {
    const reference = this.#byName.get(name);
    return reference === undefined ? [] : [reference];
  }

  #listOf(value: unknown, place: string): readonly string[] {
    if (value === undefined) return [];
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
    this.#values.leaveOut(place.slice(0, 200), `expected a list of texts, got ${kindOf(value)}`);
    return [];
  }
}

function memberPlace(path: string): string {
  return `workspace.members["${path.slice(0, 200)}"]`;
}

/** Name and version in a key, which may end with the peers that the package is installed with: `a@1_b@2`. */
function nameIn(key: string): readonly [string, string | undefined] {
  const at = key.indexOf('@', 1);
  return at < 0 ? [key, undefined] : [key.slice(0, at), key.slice(at + 1).replace(/_.*$/, '')];
}

function nameOfSpecifier(specifier: string): string {
  return nameIn(withoutRegistry(specifier))[0];
}

function rangeOfSpecifier(specifier: string): string | undefined {
  const text = withoutRegistry(specifier);
  const at = text.indexOf('@', 1);
  return at < 0 ? undefined : text.slice(at + 1);
}

function withoutRegistry(specifier: string): string {
  return specifier.replace(/^(?:npm|jsr):\/?/, '');
}
