/**
 * `Gemfile.lock`: sections, each with lines that are indented by their level. What comes from a `PATH` is a
 * project of the folder, all else is a package; `DEPENDENCIES` are those of the project itself.
 */
import { DomainError } from '#platform/foundation';
import type { Bill } from '../bill-builder.ts';
import { BillValues } from '../bill-values.ts';
import { LockBill, PROJECT } from './lock-bill.ts';

export const GEMFILE_LOCK = /^(?:GEM|GIT|PATH|PLUGIN SOURCE)\r?\n {2}(?:remote|revision|specs):/m;

const SECTION = /^[A-Z][A-Z ]*$/;
const SOURCES: ReadonlySet<string> = new Set(['GEM', 'GIT', 'PATH', 'PLUGIN SOURCE']);
const REMOTE = /^ {2}remote: (.*)$/;
/** A gem with its version, which may end with the platform: `nokogiri (1.13.1-x86_64-linux)`. */
const SPEC = /^ {4}([^\s(]+) \(([^()\s-]+)(?:-[^()\s]+)?\)$/;
const NEED = /^ {6}([^\s(!]+)(?: \((.*)\))?!?$/;
const DIRECT = /^ {2}([^\s(!]+)(?: \((.*)\))?!?$/;
const SPECS = '  specs:';
const SOURCE_FACT = /^ {2}[a-z_]+: /;
/** It installs the others, and is not among them. */
const BUNDLER = 'bundler';

interface Need {
  readonly owner: string;
  readonly name: string;
  readonly range: string | undefined;
  readonly place: string;
}

/** `folder` is the name of the project. Throws INVALID_REQUEST for a file that is cut. */
export function readGemfileLock(text: string, folder: string): Bill {
  return new GemfileLockReader(folder).read(text.split(/\r?\n/));
}

class GemfileLockReader {
  readonly #values = new BillValues();
  readonly #bill = new LockBill(this.#values, 'gem');
  readonly #needs: Need[] = [];
  #section = '';
  #remote: string | undefined;
  #spec: string | undefined;

  constructor(folder: string) {
    this.#bill.addRoot(folder);
  }

  read(lines: readonly string[]): Bill {
    if (!lines.includes('DEPENDENCIES'))
      throw new DomainError('INVALID_REQUEST', 'expected a Gemfile.lock with DEPENDENCIES, got none');
    for (const [index, line] of lines.entries()) this.#readLine(line.trimEnd(), `line ${index + 1}`);
    for (const { owner, name, range, place } of this.#needs) {
      const entity = this.#bill.entityOf(owner);
      const isMissing = this.#bill.entityOf(name) === undefined;
      // The project may name gems for platforms that are not installed.
      if (isMissing && owner === PROJECT) this.#values.ignore('gems of other platforms');
      else if (entity !== undefined && !(isMissing && name === BUNDLER))
        this.#bill.depend({ owner: entity, name, range, kind: 'prod', candidates: [name], place });
    }
    return this.#bill.finish();
  }

  #readLine(line: string, place: string): void {
    if (line === '') return;
    if (SECTION.test(line)) {
      this.#section = line;
      this.#remote = undefined;
      this.#spec = undefined;
    } else if (SOURCES.has(this.#section)) this.#readSource(line, place);
    else if (this.#section === 'DEPENDENCIES') this.#readNeed(PROJECT, DIRECT.exec(line), line, place);
  }

  #readSource(line: string, place: string): void {
    const [, remote] = REMOTE.exec(line) ?? [];
    const [, name, version] = SPEC.exec(line) ?? [];
    if (remote !== undefined) this.#remote = remote;
    else if (name !== undefined) {
      this.#spec = name;
      const resolved = this.#section === 'GEM' ? undefined : this.#remote;
      if (this.#section === 'PATH') this.#bill.addProject(name, { name, version }, place);
      else this.#bill.addPackage(name, { name, version, resolved }, place);
    } else if (line !== SPECS && !SOURCE_FACT.test(line))
      this.#readNeed(this.#spec, NEED.exec(line), line, place);
  }

  #readNeed(owner: string | undefined, found: RegExpExecArray | null, line: string, place: string): void {
    const [, name, range] = found ?? [];
    if (owner !== undefined && name !== undefined) this.#needs.push({ owner, name, range, place });
    else this.#values.leaveOut(place, `expected a gem, got ${line.trim().slice(0, 200)}`);
  }
}
