/**
 * `go.mod`: https://go.dev/ref/mod#go-mod-file. Since Go 1.17 it requires all modules that the packages of the
 * main module need; which of them needs which is not said, only that it is not the main module itself.
 */
import type { Bill } from '../bill-builder.ts';
import { BillValues } from '../bill-values.ts';
import { LockBill } from './lock-bill.ts';

export const GO_MOD = /^module(?:[^\S\n]+["`]?[\w.~/-]+["`]?\s*(?:\/\/.*)?|\s*\(\s*)$/m;

const BLOCK = /^([a-z]+)\s*\($/;
const REQUIRED = /^(\S+)\s+(v\S+)$/;
const REPLACED = /^(\S+)(?:\s+(v\S+))?\s+=>\s+(\S+)(?:\s+(v\S+))?$/;
const INDIRECT = /^\/\/\s*indirect\b/;
/** Directives that name no module which is built in. */
const OTHERS: ReadonlySet<string> = new Set([
  'exclude',
  'retract',
  'go',
  'toolchain',
  'tool',
  'godebug',
  'ignore',
]);

interface Required {
  readonly path: string;
  readonly version: string;
  readonly isIndirect: boolean;
  readonly place: string;
}

interface Replaced {
  readonly path: string;
  /** Undefined for a folder. */
  readonly version: string | undefined;
}

/** `folder` is the name of a module without one. */
export function readGoMod(text: string, folder: string): Bill {
  return new GoModReader(folder).read(text);
}

class GoModReader {
  readonly #values = new BillValues();
  readonly #bill = new LockBill(this.#values, 'golang');
  readonly #required: Required[] = [];
  /** By path, and by path and version. */
  readonly #replaced = new Map<string, Replaced>();
  #module: string;

  constructor(folder: string) {
    this.#module = folder;
  }

  read(text: string): Bill {
    let block: string | undefined;
    for (const [index, raw] of text.split(/\r?\n/).entries()) {
      const [, code = '', comment = ''] = /^(.*?)(\/\/.*)?$/.exec(raw.trim()) ?? [];
      const line = code.trim().replaceAll(/["`]/g, '');
      const [, opened] = BLOCK.exec(line) ?? [];
      if (line === ')') block = undefined;
      else if (opened !== undefined) block = opened;
      else if (line !== '') {
        const [directive, rest] = directiveIn(line, block);
        this.#readDirective(directive, rest, comment, `line ${index + 1}`);
      }
    }
    if (block !== undefined) this.#values.leaveOut(block, 'expected ) at its end');
    return this.#finish();
  }

  #readDirective(directive: string, line: string, comment: string, place: string): void {
    const [, path, version] = (directive === 'require' && REQUIRED.exec(line)) || [];
    const [, from, of, to, at] = (directive === 'replace' && REPLACED.exec(line)) || [];
    if (directive === 'module') this.#module = line;
    else if (path !== undefined && version !== undefined)
      this.#required.push({ path, version, isIndirect: INDIRECT.test(comment), place });
    else if (from !== undefined && to !== undefined)
      this.#replaced.set(of === undefined ? from : `${from} ${of}`, { path: to, version: at });
    else if (!OTHERS.has(directive))
      this.#values.leaveOut(place, `expected a directive of Go, got ${line.slice(0, 200)}`);
  }

  #finish(): Bill {
    const root = this.#bill.addRoot(this.#module);
    for (const { path, version, isIndirect, place } of this.#required) {
      const replaced = this.#replaced.get(`${path} ${version}`) ?? this.#replaced.get(path);
      const { path: name, version: used } = replaced ?? { path, version };
      const reference = `${path} ${version}`;
      if (used === undefined) this.#bill.addProject(reference, { name: path, version: undefined }, place);
      else this.#bill.addPackage(reference, { name, version: used }, place);
      if (root === undefined) continue;
      const kind = isIndirect ? 'indirect' : 'prod';
      this.#bill.depend({ owner: root, name: path, range: version, kind, candidates: [reference], place });
    }
    return this.#bill.finish();
  }
}

/** The directive of a line, which in a block is that of the block, and what follows it. */
function directiveIn(line: string, block: string | undefined): readonly [string, string] {
  if (block !== undefined) return [block, line];
  const [, directive = '', rest = ''] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
  return [directive, rest];
}
