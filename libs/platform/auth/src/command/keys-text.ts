/** Changes of a keys file as text: what people wrote in it, comments included, stays. */
import { YamlDocument } from '#platform/config';
import { DomainError } from '#platform/foundation';
import { type NamedKey, parseKeys } from '../keys-document.ts';
import type { AccessModel } from '../permission.ts';

const EMPTY = 'keys:\n';

/** The text with one more key, as the last line of the list. Throws INVALID_CONFIG, CONFLICT. */
export function withKey(text: string, key: NamedKey, { file, model }: KeysPlace): string {
  const before = parseKeys(text, file, model).keys;
  if (before.some(({ name }) => name === key.name))
    throw new DomainError('CONFLICT', `${file}: there is a key ${key.name}; revoke it, or use another name`);
  const list = listIn(text, file);
  const line = `${list.indent}- ${flow(key)}`;
  const lines = [...list.lines.slice(0, list.end), line, ...list.lines.slice(list.end)];
  return checked(joined(lines, text), { expected: before.length + 1, file, model });
}

/** The text without the lines of a key. Throws INVALID_CONFIG, NOT_FOUND. */
export function withoutKey(text: string, name: string, { file, model }: KeysPlace): string {
  const before = parseKeys(text, file, model).keys;
  const index = before.findIndex((key) => key.name === name);
  if (index < 0) throw new DomainError('NOT_FOUND', `${file}: there is no key ${name}`);
  const document = YamlDocument.parse(text, file);
  const list = listIn(text, file);
  const lineOf = (at: number): number => document.placeOf(['keys', at]).line - 1;
  const next = index + 1 < before.length ? lineOf(index + 1) : list.end;
  const lines = list.lines.toSpliced(lineOf(index), next - lineOf(index));
  return checked(joined(lines, text), { expected: before.length - 1, file, model });
}

export interface KeysPlace {
  readonly file: string;
  readonly model: AccessModel;
}

interface KeysLines {
  readonly lines: readonly string[];
  /** The index after the last line of the list. */
  readonly end: number;
  readonly indent: string;
}

/** Where the list stands. A file without one, or with an empty one in brackets, gets one. */
function listIn(text: string, file: string): KeysLines {
  const lines = text.split(/\r?\n/);
  while (lines.at(-1) === '') lines.pop();
  let head = lines.findIndex((line) => /^keys:\s*(?:\[\s*\]\s*)?(?:#.*)?$/.test(line));
  if (head < 0) {
    if (lines.some((line) => /^(?:keys|["']keys["'])\s*:/.test(line) || line.startsWith('{')))
      throw new DomainError('INVALID_CONFIG', `${file}: expected the list of keys as lines below "keys:"`);
    head = lines.push(EMPTY.trim()) - 1;
  } else lines[head] = (lines[head] ?? '').replace(/\s*\[\s*\]/, '');
  const after = lines.findIndex((line, index) => index > head && /^[^\s#-]/.test(line));
  let end = after < 0 ? lines.length : after;
  // Comments and blank lines before the next section belong to it.
  while (end > head + 1 && /^\s*(?:#.*)?$/.test(lines[end - 1] ?? '')) end--;
  const first = lines.slice(head + 1, end).find((line) => /^\s*-/.test(line));
  return { lines, end, indent: /^\s*/.exec(first ?? '  ')?.[0] ?? '' };
}

/** A map in one line; quoted, so that no value reads as another type. */
function flow(key: NamedKey): string {
  const entries = Object.entries(key).filter(([, value]) => value !== undefined);
  return `{ ${entries.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ')} }`;
}

function joined(lines: readonly string[], before: string): string {
  const end = before.includes('\r\n') ? '\r\n' : '\n';
  return lines.map((line) => line + end).join('');
}

/** The text, once it reads as expected: a file in an unusual form is left to its author. */
function checked(text: string, { expected, file, model }: KeysPlace & { readonly expected: number }): string {
  if (parseKeys(text, file, model).keys.length === expected) return text;
  throw new DomainError('INVALID_CONFIG', `${file}: expected each key on lines of its own below "keys:"`);
}
