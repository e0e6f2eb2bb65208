/**
 * The texts by which people know an entity: its key, its display name and its property `name`, up to 4,096
 * characters each. Case does not matter. *Hot path* of sealing and of the search by name.
 */
import type { EntityInput } from '#graph/model';
import {
  displayNameAt,
  findProperty,
  keyAt,
  propertiesAt,
  textBetween,
  valueEnd,
} from '../head/json-scan.ts';

/** A longer property is a text, not a name. */
const NAME_LENGTH_MAX = 4_096;
const NAME_PROPERTY = Buffer.from('name', 'latin1');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ASCII_MAX = 0x7f;

/** How a name has the text, the best first; a match's score is its kind and then the name's length. */
const KINDS = { exact: 0, start: 1, word: 2, part: 3 };
const SCORE_LENGTHS = 65_536;
const NO_MATCH = -1;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** The form in which names and texts are compared. */
export function foldName(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

/** Calls `visit` with the position of each different name in a head, without its quotes. */
export function eachNameAt(
  bytes: Buffer,
  start: number,
  visit: (bytes: Buffer, start: number, end: number) => void,
): void {
  const key = keyAt(bytes, start) + 1;
  const keyEnd = valueEnd(bytes, key - 1) - 1;
  visit(bytes, key, keyEnd);
  const display = displayNameAt(bytes, start) + 1;
  const displayEnd = valueEnd(bytes, display - 1) - 1;
  if (bytes.compare(bytes, key, keyEnd, display, displayEnd) !== 0) visit(bytes, display, displayEnd);
  const name = findProperty(bytes, propertiesAt(bytes, start), NAME_PROPERTY) + 1;
  if (name === 1 || bytes[name - 1] !== QUOTE) return;
  const nameEnd = valueEnd(bytes, name - 1) - 1;
  const isKnown =
    bytes.compare(bytes, key, keyEnd, name, nameEnd) === 0 ||
    bytes.compare(bytes, display, displayEnd, name, nameEnd) === 0;
  if (!isKnown) visit(bytes, name, nameEnd);
}

/** A name at a position that {@link eachNameAt} gives, folded; undefined if it is too long to be one. */
export function nameBetween(bytes: Buffer, start: number, end: number): string | undefined {
  if (isPlain(bytes, start, end))
    return end - start > NAME_LENGTH_MAX ? undefined : bytes.toString('latin1', start, end).toLowerCase();
  const text = textBetween(bytes, start, end);
  return text.length > NAME_LENGTH_MAX ? undefined : foldName(text);
}

/** Whether a name is of ASCII alone, and so its own text. */
function isPlain(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at]! > ASCII_MAX || bytes[at] === BACKSLASH) return false;
  return true;
}

/** The folded names of an entity. */
export function namesOf({ key, displayName, properties }: EntityInput): readonly string[] {
  const { name } = properties;
  const names = typeof name === 'string' ? [key, displayName, name] : [key, displayName];
  return names.filter(({ length }) => length <= NAME_LENGTH_MAX).map(foldName);
}

/**
 * How well a name has a text, both folded: the lower the better, −1 if it has it not. Equal names come
 * first, then those that begin with the text, those with a word that does, and the others; among them the
 * short ones.
 * `startsOnly` is for texts that are too short to be found inside a name.
 */
export function scoreOf(name: string, text: string, startsOnly: boolean): number {
  const kind = kindOf(name, text, startsOnly);
  return kind === NO_MATCH ? NO_MATCH : kind * SCORE_LENGTHS + Math.min(name.length, SCORE_LENGTHS - 1);
}

function kindOf(name: string, text: string, startsOnly: boolean): number {
  if (startsOnly && !name.startsWith(text)) return NO_MATCH;
  let at = name.indexOf(text);
  if (at < 0) return NO_MATCH;
  if (at === 0) return name.length === text.length ? KINDS.exact : KINDS.start;
  for (; at > 0; at = name.indexOf(text, at + 1)) if (isWordStart(name, at)) return KINDS.word;
  return KINDS.part;
}

function isWordStart(name: string, at: number): boolean {
  return !LETTER_OR_DIGIT.test(name[at - 1] ?? '');
}
