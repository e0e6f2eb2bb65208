/** https://maven.apache.org/pom.html#version-order-specification */
import { compareDigits } from './debian-version.ts';

interface Token {
  /** `.` or `-` before it. */
  readonly separator: string;
  readonly text: string;
}

const TOKEN = /([.\-_]?)(\d+|[^\d.\-_]+|)/g;
const QUALIFIERS = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp'];
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['cr', 'rc'],
  ['ga', ''],
  ['final', ''],
  ['release', ''],
]);
const SHORT: ReadonlyMap<string, string> = new Map([
  ['a', 'alpha'],
  ['b', 'beta'],
  ['m', 'milestone'],
]);

export function compareMaven(a: string, b: string): number {
  const [left, right] = [tokensOf(a), tokensOf(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const order = compareTokens(left[at], right[at]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Between digits and letters there is a dash, and a dot before a qualifier is one. */
function tokensOf(version: string): readonly Token[] {
  const tokens: Token[] = [];
  const text = version.toLowerCase();
  for (const { 0: whole, 1: separator = '', 2: part = '', index } of text.matchAll(TOKEN)) {
    if (whole === '') continue;
    const isFollowedByDigit = /\d/.test(text[index + whole.length] ?? '');
    const token = normal(part, isFollowedByDigit);
    const isPlain = separator === '.' && /^\d/.test(token);
    tokens.push({ separator: isPlain ? '.' : '-', text: token });
  }
  return trimmed(tokens);
}

/** An empty part is a zero. */
function normal(text: string, hasNumber: boolean): string {
  if (text === '') return '0';
  if (/^\d+$/.test(text)) return text.replace(/^0+(?=\d)/, '');
  return (hasNumber ? SHORT.get(text) : undefined) ?? ALIASES.get(text) ?? text;
}

/** Without zeros and empty qualifiers at the end, and before each dash. */
function trimmed(tokens: readonly Token[]): readonly Token[] {
  const kept = [...tokens];
  for (let at = kept.length - 1; at > 0; at--) {
    const { text } = kept[at] ?? {};
    const isAtEnd = at === kept.length - 1 || kept[at + 1]?.separator === '-';
    if (isAtEnd && (text === '0' || text === '')) kept.splice(at, 1);
  }
  return kept;
}

/** What one version lacks is a padding of the same kind as the token of the other. */
function compareTokens(a: Token | undefined, b: Token | undefined): number {
  const [left, right] = [a ?? paddingFor(b), b ?? paddingFor(a)];
  const byKind = kindOf(left) - kindOf(right);
  if (byKind !== 0) return byKind;
  return isNumber(left) ? compareDigits(left.text, right.text) : compareQualifiers(left.text, right.text);
}

function paddingFor(token: Token | undefined): Token {
  const separator = token?.separator ?? '.';
  return { separator, text: token !== undefined && isNumber(token) ? '0' : '' };
}

function isNumber({ text }: Token): boolean {
  return /^\d/.test(text);
}

/** `.qualifier` = `-qualifier` < `-number` < `.number`. */
function kindOf(token: Token): number {
  if (!isNumber(token)) return 0;
  return token.separator === '-' ? 1 : 2;
}

/** Known ones in their order, then all others by their text. */
function compareQualifiers(a: string, b: string): number {
  const [left, right] = [QUALIFIERS.indexOf(a), QUALIFIERS.indexOf(b)];
  if (left >= 0 && right >= 0) return left - right;
  if (left < 0 && right < 0) return a === b ? 0 : a < b ? -1 : 1;
  return left < 0 ? 1 : -1;
}
