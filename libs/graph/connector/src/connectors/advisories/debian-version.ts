/** https://www.debian.org/doc/debian-policy/ch-controlfields.html#version: epoch, upstream version, revision. */
const PARTS = /^(?:(\d+):)?(.*?)(?:-([^-]*))?$/s;

export function compareDebian(a: string, b: string): number {
  const [, epoch = '0', upstream = '', revision = '0'] = PARTS.exec(a) ?? [];
  const [, otherEpoch = '0', otherUpstream = '', otherRevision = '0'] = PARTS.exec(b) ?? [];
  return (
    Number(epoch) - Number(otherEpoch) ||
    compareParts(upstream, otherUpstream) ||
    compareParts(revision, otherRevision)
  );
}

/** In turn: a part without digits, by a changed alphabet, then a number. */
function compareParts(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [text = '', digits = ''] = left[at] ?? [];
    const [otherText = '', otherDigits = ''] = right[at] ?? [];
    const order = compareTexts(text, otherText) || compareDigits(digits, otherDigits);
    if (order !== 0) return order;
  }
  return 0;
}

function partsOf(version: string): readonly (readonly string[])[] {
  return Array.from(version.matchAll(/(\D*)(\d*)/g), ([, text = '', digits = '']) => [text, digits]);
}

function compareTexts(a: string, b: string): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = weightOf(a[at]) - weightOf(b[at]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A tilde is before the end, letters are before all other characters. */
function weightOf(character: string | undefined): number {
  if (character === undefined) return 0;
  if (character === '~') return -1;
  return /[A-Za-z]/.test(character) ? character.charCodeAt(0) : character.charCodeAt(0) + 256;
}

/** Numbers of any length. */
export function compareDigits(a: string, b: string): number {
  const [left, right] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  if (left.length !== right.length) return left.length - right.length;
  return left === right ? 0 : left < right ? -1 : 1;
}
