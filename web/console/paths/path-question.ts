/** The query of the path form. */
import { quoted as cypherName } from '../cypher/complete-cypher.ts';
import { type LinkDirection, viaText } from '../pql/hop-text.ts';

/** More paths of one length are not read as a picture. */
export const PATHS_MAX = 200;

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

/** The same as Cypher, which can say that no entity between the ends has one of these classes. */
export function pathQuestionCypher(
  { from, to, direction, verbs, depth, isAll }: PathQuestion,
  avoided: readonly string[],
): string {
  const types = verbs.length === 0 ? '' : `:${verbs.map(cypherName).join('|')}`;
  const hops = `[${types}*${depth === undefined ? '' : `..${depth}`}]`;
  const step = { in: `<-${hops}-`, out: `-${hops}->`, any: `-${hops}-` }[direction];
  const labels = avoided.map((name) => `n:${cypherName(name)}`).join(' OR ');
  return [
    `MATCH p = ${isAll ? 'allShortestPaths' : 'shortestPath'}((a)${step}(b))`,
    `WHERE elementId(a) = '${from}' AND elementId(b) = '${to}'`,
    `AND none(n IN nodes(p) WHERE n <> a AND n <> b AND (${labels}))`,
    `RETURN p LIMIT ${isAll ? PATHS_MAX : 1}`,
  ].join(' ');
}

/** The verbs to follow if these are to be avoided; empty: all. */
export function verbsWithout(all: readonly string[], avoided: ReadonlySet<string>): readonly string[] {
  return avoided.size === 0 ? [] : all.filter((verb) => !avoided.has(verb));
}
