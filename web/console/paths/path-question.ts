/** The query of the path form. */
import { type LinkDirection, viaText } from '../pql/hop-text.ts';

/** More paths of one length are not read as a picture. */
const PATHS_MAX = 200;

export interface PathQuestion {
  /** Ids of the two ends. */
  readonly from: string;
  readonly to: string;
  readonly direction: LinkDirection;
  /** Every verb that may be followed; empty: all. */
  readonly verbs: readonly string[];
  /** Maximum number of relationships; undefined: any. */
  readonly depth: number | undefined;
  /** Every shortest path, or one of them. */
  readonly isAll: boolean;
}

export function pathQuestionPql({ from, to, direction, verbs, depth, isAll }: PathQuestion): string {
  const isPlain = verbs.length === 0 && direction === 'any';
  return [
    isAll ? 'FIND ALL SHORTEST PATHS' : 'FIND SHORTEST PATH',
    `FROM '${from}' TO '${to}'`,
    ...(isPlain ? [] : [viaText(verbs, direction)]),
    ...(depth === undefined ? [] : [`DEPTH ${depth}`]),
    ...(isAll ? [`LIMIT ${PATHS_MAX}`] : []),
  ].join(' ');
}

/** The verbs to follow if these are to be avoided; empty: all. */
export function verbsWithout(all: readonly string[], avoided: ReadonlySet<string>): readonly string[] {
  return avoided.size === 0 ? [] : all.filter((verb) => !avoided.has(verb));
}
