/**
 * Finds values in JSON bytes without parsing all of them. The bytes are written by our encoder: without white
 * space and nested objects. On the *hot path* of sealing and of reading single fields.
 *
 * A head is `{"id":"<32 hex>","type":T,"class":C,"key":K,"display_name":D,"properties":{…}`, so every field
 * starts at a fixed distance after the end of the previous one. Labels, if any, precede the properties:
 * `"labels":[…],`.
 */
import type { PropertyValue } from '#graph/model';

const TYPE_AT = 48;
const CLASS_LABEL = 9;
const KEY_LABEL = 7;
const DISPLAY_NAME_LABEL = 16;
const LABELS_LABEL = 10;
const PROPERTIES_LABEL = 14;
/** Distance from the end of a value to the first letter of the next field's name. */
const TO_LETTER = 2;
const LETTER_L = 0x6c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;

/** The end, exclusive, of the value that starts at `at`. */
export function valueEnd(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first === QUOTE) return stringEnd(bytes, at);
  if (first === OPEN_LIST) return listEnd(bytes, at);
  for (;;) {
    const byte = bytes[at]!;
    if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST) return at;
    at++;
  }
}

function stringEnd(bytes: Uint8Array, at: number): number {
  for (at++; ; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
}

function listEnd(bytes: Uint8Array, at: number): number {
  for (at++; bytes[at] !== CLOSE_LIST;) at = bytes[at] === QUOTE ? stringEnd(bytes, at) : at + 1;
  return at + 1;
}

export function typeAt(start: number): number {
  return start + TYPE_AT;
}

export function classAt(bytes: Uint8Array, start: number): number {
  return valueEnd(bytes, start + TYPE_AT) + CLASS_LABEL;
}

export function keyAt(bytes: Uint8Array, start: number): number {
  return valueEnd(bytes, classAt(bytes, start)) + KEY_LABEL;
}

export function displayNameAt(bytes: Uint8Array, start: number): number {
  return valueEnd(bytes, keyAt(bytes, start)) + DISPLAY_NAME_LABEL;
}

/** The position of the labels, 0 if there are none. */
export function labelsAt(bytes: Uint8Array, start: number): number {
  const end = valueEnd(bytes, displayNameAt(bytes, start));
  return bytes[end + TO_LETTER] === LETTER_L ? end + LABELS_LABEL : 0;
}

/** The position of the opening brace of the properties. */
export function propertiesAt(bytes: Uint8Array, start: number): number {
  const end = valueEnd(bytes, displayNameAt(bytes, start));
  const hasLabels = bytes[end + TO_LETTER] === LETTER_L;
  return (hasLabels ? listEnd(bytes, end + LABELS_LABEL) : end) + PROPERTIES_LABEL;
}

/**
 * Calls `visit` with each property's name (as JSON between its quotes) and value. `at` is the opening brace.
 */
export function eachProperty(
  bytes: Buffer,
  at: number,
  visit: (start: number, end: number, value: number) => void,
): void {
  at++;
  while (bytes[at] === QUOTE) {
    const nameEnd = stringEnd(bytes, at) - 1;
    visit(at + 1, nameEnd, nameEnd + 2);
    at = valueEnd(bytes, nameEnd + 2);
    if (bytes[at] === COMMA) at++;
  }
}

/**
 * The position of a property's value, 0 if it is missing. `label` is its name as JSON between the quotes.
 */
export function findProperty(bytes: Buffer, at: number, label: Uint8Array): number {
  at++;
  while (bytes[at] === QUOTE) {
    const nameEnd = stringEnd(bytes, at) - 1;
    if (nameEnd - at - 1 === label.length && bytes.compare(label, 0, label.length, at + 1, nameEnd) === 0)
      return nameEnd + 2;
    at = valueEnd(bytes, nameEnd + 2);
    if (bytes[at] === COMMA) at++;
  }
  return 0;
}

/** The value that starts at `at`. */
export function valueAt(bytes: Buffer, at: number): PropertyValue {
  const end = valueEnd(bytes, at);
  if (bytes[at] === QUOTE) return textBetween(bytes, at + 1, end - 1);
  return JSON.parse(
    bytes.toString('latin1', at, at + 1) === '['
      ? bytes.toString('utf8', at, end)
      : bytes.toString('latin1', at, end),
  ) as PropertyValue;
}

/** A string's text; `start` and `end` exclude its quotes. */
export function textBetween(bytes: Buffer, start: number, end: number): string {
  for (let at = start; at < end; at++) {
    if (bytes[at] === BACKSLASH) return JSON.parse(bytes.toString('utf8', start - 1, end + 1)) as string;
  }
  return bytes.toString('utf8', start, end);
}
