/** The normal form of distinguished names, for comparison: RFC 4514, prepared as in RFC 4518. */
const TYPES: Readonly<Record<string, string>> = {
  '2.5.4.3': 'cn',
  commonname: 'cn',
  '2.5.4.4': 'sn',
  surname: 'sn',
  '2.5.4.6': 'c',
  countryname: 'c',
  '2.5.4.7': 'l',
  localityname: 'l',
  '2.5.4.8': 'st',
  stateorprovincename: 'st',
  '2.5.4.9': 'street',
  streetaddress: 'street',
  '2.5.4.10': 'o',
  organizationname: 'o',
  '2.5.4.11': 'ou',
  organizationalunitname: 'ou',
  '0.9.2342.19200300.100.1.1': 'uid',
  userid: 'uid',
  '0.9.2342.19200300.100.1.25': 'dc',
  domaincomponent: 'dc',
};
/** BER tags: octet string, UTF8String, PrintableString, IA5String. */
const TEXT_TAGS: readonly (number | undefined)[] = [0x04, 0x0c, 0x13, 0x16];
const HEX_ESCAPES = /((?:\\[0-9a-f]{2})+)|\\([\s\S])/gi;
/** A byte that is not UTF-8 is represented by a lone surrogate, which no text contains. */
const LONE = 0xdc00;

/**
 * The normal form: `UID=Ann, DC=Corp` and `0.9.2342.19200300.100.1.1=\61nn,dc=corp` are the same entry, and
 * so are names with the parts of a multi-valued part in another order.
 */
export function normalName(name: string): string {
  return split(name, ',').map(normalPart).join(',');
}

/** A value as directories compare it: without case, and without other blanks than single ones within. */
export function foldedText(value: string): string {
  return folded(value);
}

/** Whether a name, in normal form, is the base or below it. */
export function isWithin(name: string, base: string): boolean {
  return base === '' || name === base || name.endsWith(`,${base}`);
}

/** Whether a name, in normal form, has at most one part: `cn=none`. Entries with members are deeper. */
export function isTopLevel(name: string): boolean {
  return split(name, ',').length < 2;
}

/** The name of the entry above, of a name in normal form. */
export function nameAbove(name: string): string {
  return split(name, ',').slice(1).join(',');
}

function normalPart(part: string): string {
  return split(part, '+').map(normalPair).sort().join('+');
}

function normalPair(pair: string): string {
  const at = pair.indexOf('=');
  if (at < 0) return normalValue(pair);
  const type = pair
    .slice(0, at)
    .trim()
    .toLowerCase()
    .replace(/^oid\./, '');
  return `${TYPES[type] ?? type}=${normalValue(pair.slice(at + 1))}`;
}

function normalValue(value: string): string {
  const encoded = /^\s*#((?:[0-9a-f]{2})+)\s*$/i.exec(value)?.[1];
  if (encoded === undefined) return escaped(folded(unescaped(value)));
  const bytes = Buffer.from(encoded, 'hex');
  if (!TEXT_TAGS.includes(bytes[0]) || bytes[1] !== bytes.length - 2) return `#${encoded.toLowerCase()}`;
  return escaped(folded(decoded(bytes.subarray(2))));
}

/** Splits at unescaped separators. */
function split(text: string, separator: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}

function unescaped(value: string): string {
  return value.replace(HEX_ESCAPES, (_all, hex: string | undefined, character: string | undefined) =>
    hex === undefined ? (character ?? '') : decoded(Buffer.from(hex.replaceAll('\\', ''), 'hex')),
  );
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : LONE + byte)).join('');
  }
}

/** Case-folded, NFKC-normalised, with single blanks. */
function folded(value: string): string {
  const lower = value.normalize('NFKC').toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ');
  return lower.normalize('NFKC').replace(/\s+/g, ' ').trim();
}

function escaped(value: string): string {
  return value
    .replace(/[\\,+"<>;]|^#/g, '\\$&')
    .replace(/\p{Cc}/gu, (character) => hexEscapes(Buffer.from(character)))
    .replace(/\p{Cs}/gu, (lone) => hexEscapes(Buffer.of(lone.charCodeAt(0) - LONE)));
}

function hexEscapes(bytes: Buffer): string {
  return Array.from(bytes, (byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('');
}
