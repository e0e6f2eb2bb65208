/**
 * `Cargo.lock` of the versions 1 to 4. A dependency is a name, with the version and the source where that is
 * not enough. What has no source is a project of the workspace; which of them is the outermost is not said.
 */
import { FieldPath, isJsonObject, type JsonObject } from '#graph/model';
import { parseTomlText } from '../../document/toml-text.ts';
import type { Bill } from '../bill-builder.ts';
import { BillValues, type Placed } from '../bill-values.ts';
import { hashText } from '../component-name.ts';
import { LockBill } from './lock-bill.ts';

/** The file says its version since the third. */
const VERSIONS: readonly unknown[] = [undefined, 1, 2, 3, 4];
/** The registry of all that is not from elsewhere. */
const CRATES_IO = /^(?:registry\+https:\/\/github\.com\/rust-lang\/|sparse\+https:\/\/index\.)crates\.io/;

interface Crate {
  readonly name: string;
  readonly version: string;
  readonly source: string | undefined;
  readonly reference: string;
  readonly entry: Placed;
}

/** Throws INVALID_REQUEST with the place of a fault. */
export function readCargoLock(text: string): Bill {
  const lock = parseTomlText(text, 'a Cargo.lock');
  if (!VERSIONS.includes(lock['version']))
    throw new FieldPath().fault('version', 'expected 1 to 4, as Cargo writes');
  return new CargoLockReader(lock).read();
}

class CargoLockReader {
  readonly #values = new BillValues();
  readonly #bill = new LockBill(this.#values, 'cargo');
  readonly #lock: JsonObject;
  /** References by what a dependency may be called; undefined where several are. */
  readonly #byCall = new Map<string, string | undefined>();

  constructor(lock: JsonObject) {
    this.#lock = lock;
  }

  read(): Bill {
    const { root, metadata, patch } = this.#lock;
    const first = isJsonObject(root) ? [{ value: root, place: 'root' }] : [];
    const crates = [...first, ...this.#values.topList(this.#lock, 'package')].flatMap((each) =>
      this.#crateOf(each),
    );
    const checksums = this.#bill.mapOf(metadata, 'metadata');
    for (const crate of crates) this.#add(crate, checksums);
    for (const crate of crates) this.#addDependencies(crate);
    const unused = isJsonObject(patch) ? patch['unused'] : undefined;
    if (Array.isArray(unused)) this.#values.ignore('patches that nothing uses', unused.length);
    return this.#bill.finish();
  }

  #crateOf(entry: Placed): readonly Crate[] {
    const identity = this.#bill.identityOf(entry);
    if (identity === undefined) return [];
    const { name, version } = identity;
    const source = this.#values.text(entry, 'source');
    return [{ name, version, source, reference: referenceOf(name, version, source), entry }];
  }

  #add({ name, version, source, reference, entry }: Crate, checksums: JsonObject): void {
    if (source === undefined) this.#bill.addProject(reference, { name, version }, entry.place);
    else {
      const checksum = entry.value['checksum'] ?? checksums[`checksum ${reference}`];
      const hashes = typeof checksum === 'string' ? hashesOf(checksum) : undefined;
      const resolved = CRATES_IO.test(source) ? undefined : source;
      this.#bill.addPackage(reference, { name, version, resolved, hashes }, entry.place);
    }
    // What a dependency says of the source has no commit.
    const shorter = referenceOf(name, version, source?.replace(/#.*$/, ''));
    for (const call of new Set([name, `${name} ${version}`, reference, shorter]))
      this.#byCall.set(call, this.#byCall.has(call) ? undefined : reference);
  }

  #addDependencies({ reference, entry }: Crate): void {
    const owner = this.#bill.entityOf(reference);
    if (owner === undefined) return;
    for (const name of this.#values.texts(entry, 'dependencies').texts) {
      const found = this.#byCall.get(name);
      const candidates = found === undefined ? [] : [found];
      this.#bill.depend({ owner, name, range: undefined, kind: undefined, candidates, place: entry.place });
    }
  }
}

/** The longest name of a package in the file. */
function referenceOf(name: string, version: string, source: string | undefined): string {
  return source === undefined ? `${name} ${version}` : `${name} ${version} (${source})`;
}

/** What is not from a registry has `<none>`. */
function hashesOf(checksum: string): readonly string[] | undefined {
  return /^[0-9a-f]{64}$/i.test(checksum) ? [hashText('SHA-256', checksum)] : undefined;
}
