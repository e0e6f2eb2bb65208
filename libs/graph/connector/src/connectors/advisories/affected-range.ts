import type { DocumentValue } from '../document/document-value.ts';

type Compare = (a: string, b: string) => number | undefined;

/** Why a version is affected. */
export interface Affected {
  /** `>=1.0.0 <1.2.3`, or `=1.0.0` for one that is listed. */
  readonly range: string;
  readonly fixed: string | undefined;
}

interface Event {
  readonly kind: 'introduced' | 'fixed' | 'last_affected';
  readonly version: string;
}

const KINDS = ['introduced', 'fixed', 'last_affected'] as const;

/**
 * Whether a package of an advisory includes a version: by its ranges, in the order of its ecosystem, or by
 * its list of versions. Undefined if it does not; `unknown` if the versions cannot be compared.
 */
export function affectedBy(
  affected: DocumentValue,
  version: string,
  compare: Compare,
): Affected | 'unknown' | undefined {
  let isUnknown = false;
  for (const range of affected.objects('ranges')) {
    if (range.text('type') === 'GIT') continue;
    const found = affectedInRange(eventsOf(range), version, compare);
    if (found === 'unknown') isUnknown = true;
    else if (found !== undefined) return found;
  }
  if (affected.texts('versions').includes(version)) return { range: `=${version}`, fixed: undefined };
  return isUnknown ? 'unknown' : undefined;
}

function eventsOf(range: DocumentValue): readonly Event[] {
  return range.requiredObjects('events').flatMap((event) => {
    const known = KINDS.flatMap((kind) => {
      const version = event.text(kind);
      return version === undefined ? [] : [{ kind, version }];
    });
    // A limit bounds ranges of commits.
    if (![...KINDS, 'limit'].some((kind) => event.has(kind)))
      throw event.fault(
        '',
        `expected one of ${KINDS.join(', ')}, got ${Object.keys(event.value)[0] ?? 'nothing'}`,
      );
    return known;
  });
}

/** The last event before the version decides; a range begins with each version that introduces. */
function affectedInRange(
  events: readonly Event[],
  version: string,
  compare: Compare,
): Affected | 'unknown' | undefined {
  const order = (a: string, b: string): number => {
    if (a === b) return 0;
    // Zero is before all versions.
    if (a === '0') return -1;
    return b === '0' ? 1 : (compare(a, b) ?? Number.NaN);
  };
  const sorted = events.toSorted(
    (a, b) => order(a.version, b.version) || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind),
  );
  let from: string | undefined;
  for (const { kind, version: bound } of sorted) {
    const position = order(version, bound);
    if (Number.isNaN(position)) return 'unknown';
    if (kind === 'introduced') {
      if (position < 0) return undefined;
      from = bound;
    } else if (from !== undefined) {
      const isWithin = kind === 'fixed' ? position < 0 : position <= 0;
      const end = kind === 'fixed' ? `<${bound}` : `<=${bound}`;
      if (isWithin) return { range: `>=${from} ${end}`, fixed: kind === 'fixed' ? bound : undefined };
      from = undefined;
    }
  }
  return from === undefined ? undefined : { range: `>=${from}`, fixed: undefined };
}
