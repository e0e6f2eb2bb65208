/** https://gitlab.alpinelinux.org/alpine/apk-tools/-/blob/master/doc/apk-package.5.scd: `1.2.3b_rc1~4f5e-r6`. */
import { compareDigits } from './debian-version.ts';

const SUFFIXES = ['alpha', 'beta', 'pre', 'rc', '', 'cvs', 'svn', 'git', 'hg', 'p'];
const NO_SUFFIX = SUFFIXES.indexOf('');
const SUFFIX = /_([a-z]+)(\d*)/g;
const FORM =
  /^(\d+(?:\.\d+)*)([a-z]?)((?:_(?:alpha|beta|pre|rc|cvs|svn|git|hg|p)\d*)*)(?:~[0-9a-f]+)?(?:-r(\d+))?$/;

interface ApkVersion {
  readonly numbers: readonly string[];
  readonly letter: string;
  readonly suffixes: readonly { readonly weight: number; readonly number: string }[];
  readonly build: string | undefined;
}

/** Undefined if one of the two is no version of Alpine. */
export function compareApk(a: string, b: string): number | undefined {
  const [left, right] = [versionIn(a), versionIn(b)];
  if (left === undefined || right === undefined) return undefined;
  return (
    compareNumbers(left.numbers, right.numbers) ||
    compareTexts(left.letter, right.letter) ||
    compareSuffixes(left, right) ||
    compareDigits(left.build ?? '0', right.build ?? '0')
  );
}

function versionIn(text: string): ApkVersion | undefined {
  const [match, numbers = '', letter = '', suffixes = '', build] = FORM.exec(text) ?? [];
  if (match === undefined) return undefined;
  return {
    numbers: numbers.split('.'),
    letter,
    suffixes: Array.from(suffixes.matchAll(SUFFIX), ([, name = '', number = '']) => ({
      weight: SUFFIXES.indexOf(name),
      number,
    })),
    build,
  };
}

/** After the first, one that begins with a zero is compared like a decimal fraction: 1.01 is before 1.1. */
function compareNumbers(left: readonly string[], right: readonly string[]): number {
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [number, other] = [left[at], right[at]];
    if (number === undefined || other === undefined) return number === undefined ? -1 : 1;
    const isFraction = at > 0 && (number.startsWith('0') || other.startsWith('0'));
    const order = isFraction ? compareTexts(number, other) : compareDigits(number, other);
    if (order !== 0) return order;
  }
  return 0;
}

function compareSuffixes({ suffixes: left }: ApkVersion, { suffixes: right }: ApkVersion): number {
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [suffix, other] = [left[at], right[at]];
    const byWeight = (suffix?.weight ?? NO_SUFFIX) - (other?.weight ?? NO_SUFFIX);
    const order = byWeight || compareDigits(suffix?.number ?? '', other?.number ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
