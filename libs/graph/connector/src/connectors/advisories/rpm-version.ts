/** As rpmvercmp compares: https://rpm-software-management.github.io/rpm/man/rpm-version.7 */
import { compareDigits } from './debian-version.ts';

const PARTS = /^(?:(\d+):)?([^-]*)(?:-(.*))?$/s;

export function compareRpm(a: string, b: string): number {
  const [, epoch = '0', version = '', release] = PARTS.exec(a) ?? [];
  const [, otherEpoch = '0', otherVersion = '', otherRelease] = PARTS.exec(b) ?? [];
  const byVersion = Number(epoch) - Number(otherEpoch) || compareLabels(version, otherVersion);
  if (byVersion !== 0) return byVersion;
  // Without a release, a version is before all of its releases.
  if (release === undefined || otherRelease === undefined)
    return Number(release !== undefined) - Number(otherRelease !== undefined);
  return compareLabels(release, otherRelease);
}

/** Segments of digits or letters; `~` is before the end, `^` after it and before all others. */
export function compareLabels(a: string, b: string): number {
  const [left, right] = [segmentsOf(a), segmentsOf(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const order = compareSegments(left[at], right[at]);
    if (order !== 0) return order;
  }
  return 0;
}

function segmentsOf(label: string): readonly string[] {
  return label.match(/\d+|[A-Za-z]+|[~^]/g) ?? [];
}

function compareSegments(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  const byWeight = weightOf(a) - weightOf(b);
  if (byWeight !== 0 || a === undefined || b === undefined) return byWeight;
  return /^\d/.test(a) ? compareDigits(a, b) : a < b ? -1 : 1;
}

/** A tilde, the end, a caret, letters, numbers. */
function weightOf(segment: string | undefined): number {
  if (segment === undefined) return 1;
  if (segment === '~') return 0;
  if (segment === '^') return 2;
  return /^\d/.test(segment) ? 4 : 3;
}
