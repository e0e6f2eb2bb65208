/**
 * `requirements.txt` as pip-tools and `pip freeze` write it: https://pip.pypa.io/en/stable/reference/requirements-file-format/
 * Of what has no exact version, which one is installed is not known.
 */
import type { EntityKey } from '#graph/model';
import type { Bill } from '../../bill-builder.ts';
import { BillValues } from '../../bill-values.ts';
import { LockBill } from '../lock-bill.ts';
import { requirementIn } from './requirement.ts';

const LINES = String.raw`(?:[^\S\n]*(?:#.*|-.*)?\r?\n)*`;
const RANGE = String.raw`(?:===?|~=|!=|[<>]=?)[^\S\n]*[\w.!+*-]+`;
/** The first requirement has a range. */
export const REQUIREMENTS = new RegExp(
  String.raw`^${LINES}[A-Za-z0-9][\w.-]*(?:\[[\w, .-]*\])?[^\S\n]*${RANGE}[^\S\n]*(?:[,;#\\].*|--hash.*)?\r?(?:\n|$)`,
);
/** Other files that the file names, and what stands in a folder. */
const OTHERS = /^(?:-r|--requirement|-c|--constraint|-e|--editable)\b[\s=]*(.*)$/;
const PINNED = /^===?([^*,]+)$/;

/** `folder` is the name of the project. */
export function readRequirements(text: string, folder: string): Bill {
  return new RequirementsReader(folder).read(text);
}

class RequirementsReader {
  readonly #values = new BillValues();
  readonly #bill = new LockBill(this.#values, 'pypi');
  readonly #root: EntityKey | undefined;

  constructor(folder: string) {
    this.#root = this.#bill.addRoot(folder);
  }

  read(text: string): Bill {
    const lines = text.replaceAll(/\\\r?\n/g, ' ').split(/\r?\n/);
    for (const [index, line] of lines.entries())
      this.#readLine(line.replace(/(?:^|\s)#.*$/, '').trim(), index + 1);
    return this.#bill.finish();
  }

  #readLine(line: string, number: number): void {
    const place = `requirement in line ${number}`;
    const [, other] = OTHERS.exec(line) ?? [];
    if (other !== undefined) this.#values.leaveOut(place, `${line.slice(0, 200)} is not read`);
    if (line === '' || line.startsWith('-')) return;
    const found = requirementIn(line.replace(/\s--\w.*$/, ''));
    if (found === undefined) {
      this.#values.leaveOut(place, `expected a requirement, got ${line.slice(0, 200)}`);
      return;
    }
    const { name, range } = found;
    const [, version] = PINNED.exec(range) ?? [];
    const isPlace = range.includes('://');
    if (version === undefined && !isPlace) {
      this.#values.leaveOut(place, `${line.slice(0, 200)} is no exact version`);
      return;
    }
    this.#bill.addPackage(line, { name, version, resolved: isPlace ? range : undefined }, place);
    if (this.#root !== undefined)
      this.#bill.depend({ owner: this.#root, name, range, kind: 'prod', candidates: [line], place });
  }
}
