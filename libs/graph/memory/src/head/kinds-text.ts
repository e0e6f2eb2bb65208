/**
 * Kinds of values behind the JSON of a head or of a relationship's properties, where they have some that
 * JSON does not tell: a JSON object by property name, then its length as eight hexadecimal digits. JSON ends
 * with a brace, and so text without kinds costs one look. *Hot path* of replies.
 */
import { createKinds, type PropertyKinds, type StoredKind } from '#graph/model';

const LENGTH_DIGITS = 8;
const HEXADECIMAL = 16;
const CLOSE_OBJECT = 0x7d;

/** Sorted by name, so that equal kinds have equal text. */
export function encodeKinds(kinds: PropertyKinds): string {
  const text = JSON.stringify(kinds, Object.keys(kinds).sort());
  const length = Buffer.byteLength(text, 'utf8');
  return text + length.toString(HEXADECIMAL).padStart(LENGTH_DIGITS, '0');
}

/** The end of the JSON that is shown. */
export function shownEnd(bytes: Buffer, end: number): number {
  return bytes[end - 1] === CLOSE_OBJECT ? end : end - LENGTH_DIGITS - kindsLength(bytes, end);
}

/** The kinds behind the JSON; undefined without any. */
export function decodeKinds(bytes: Buffer, end: number): PropertyKinds | undefined {
  if (bytes[end - 1] === CLOSE_OBJECT) return undefined;
  const to = end - LENGTH_DIGITS;
  const parsed = JSON.parse(bytes.toString('utf8', to - kindsLength(bytes, end), to)) as PropertyKinds;
  const kinds = createKinds();
  for (const name of Object.keys(parsed)) kinds[name] = parsed[name] as StoredKind;
  return kinds;
}

function kindsLength(bytes: Buffer, end: number): number {
  return Number.parseInt(bytes.toString('latin1', end - LENGTH_DIGITS, end), HEXADECIMAL);
}
