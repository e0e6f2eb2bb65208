import type {
  AsOf,
  CountValue,
  EndPattern,
  FindQuery,
  Hop,
  HopGroup,
  HopPattern,
  Name,
  PathQuery,
  NodePattern,
  Query,
  Repeat,
  ReturnClause,
  ReturnItem,
} from './ast.ts';
import {
  ARROWS,
  printExpression,
  printName,
  printNames,
  printRef,
  printString,
  printTerm,
  printVerbs,
} from './print-expression.ts';

const MODES = { run: '', explain: 'EXPLAIN ', profile: 'PROFILE ' } as const;
const SUFFIXES = { required: '', optional: '?', absent: '!' } as const satisfies Record<
  HopGroup['mode'],
  string
>;

/** Formats a query on one line that parses to an equal tree, except for spans. Keywords are in upper case. */
export function print({ mode, body, asOf }: Query): string {
  return MODES[mode] + join(printBody(body), asOf && `AS OF ${printMoment(asOf)}`);
}

function printMoment({ value }: AsOf): string {
  return typeof value === 'string' ? printString(value) : String(value);
}

function printBody(body: Query['body']): string {
  switch (body.kind) {
    case 'find':
      return printFind(body);
    case 'path':
      return printPath(body);
    case 'blast':
      return join('FIND BLAST RADIUS FROM', printEnd(body.from), printBounds(body));
  }
}

function printPath({ all, each, from, to, ...bounds }: PathQuery): string {
  const head = all ? 'FIND ALL SHORTEST PATHS FROM' : 'FIND SHORTEST PATH FROM';
  const begin = printEnd(from);
  // A class TO is in parentheses: after a bare EACH the word is a keyword.
  const source = each && /^TO\b/i.test(begin) ? `(${begin.slice(0, 2)})${begin.slice(2)}` : begin;
  return join(head, each && 'EACH', source, 'TO', printEnd(to), printBounds(bounds));
}

function printFind(find: FindQuery): string {
  return join(
    'FIND',
    printNode(find.node),
    ...find.hops.map(printHopPattern),
    find.where && `WHERE ${printExpression(find.where)}`,
    find.groupBy.length > 0 && `GROUP BY ${find.groupBy.map(printRef).join(', ')}`,
    find.having && `HAVING ${printExpression(find.having)}`,
    find.returns && printReturn(find.returns),
    find.orderBy.length > 0 && `ORDER BY ${find.orderBy.map(printOrderKey).join(', ')}`,
    find.skip && `SKIP ${printCount(find.skip)}`,
    printLimit(find.limit),
  );
}

function printNode({ names, alias, filter }: NodePattern): string {
  return join(printNames(names), printAlias(alias), filter && `WITH ${printExpression(filter)}`);
}

function printAlias(alias: Name | undefined): string | undefined {
  return alias && `AS ${printName(alias.text)}`;
}

function printHopPattern(hop: HopPattern): string {
  return hop.kind === 'group' ? printGroup(hop) : printHop(hop, 'THAT ');
}

/** The short form of an absent hop, so that no group nests deeper than in the source. */
function printGroup({ mode, hops }: HopGroup): string {
  const [only] = hops;
  if (mode === 'absent' && only?.kind === 'hop' && hops.length === 1) return printHop(only, 'THAT !');
  return `(${hops.map(printHopPattern).join(' ')})${SUFFIXES[mode]}`;
}

function printHop({ verbs, repeat, direction, alias, target }: Hop, head: string): string {
  const relationship = head + printVerbs(verbs) + printRepeat(repeat) + ARROWS[direction];
  return join(relationship, printAlias(alias), printNode(target));
}

export function printRepeat(repeat: Pick<Repeat, 'min' | 'max'> | undefined): string {
  if (repeat === undefined) return '';
  const { min, max } = repeat;
  return min === max ? `{${min}}` : `{${min}..${max === Infinity ? '' : max}}`;
}

function printReturn({ kind, distinct, items }: ReturnClause): string {
  if (kind === 'count') return 'RETURN COUNT';
  return `RETURN ${distinct ? 'DISTINCT ' : ''}${items.map(printItem).join(', ')}`;
}

function printItem({ value, alias }: ReturnItem): string {
  return join(printOutput(value), printAlias(alias));
}

function printOutput(value: ReturnItem['value']): string {
  return value.kind === 'all' ? `${printName(value.alias.text)}.*` : printTerm(value);
}

function printOrderKey({ value, descending }: FindQuery['orderBy'][number]): string {
  return printRef(value) + (descending ? ' DESC' : '');
}

function printCount(count: CountValue): string {
  return count.kind === 'count' ? String(count.value) : `$${count.name}`;
}

function printLimit(limit: CountValue | undefined): string | undefined {
  return limit && `LIMIT ${printCount(limit)}`;
}

function printEnd(end: EndPattern): string {
  return end.kind === 'key' ? printString(end.text) : printNode(end);
}

function printBounds({ via, depth, limit }: Pick<PathQuery, 'via' | 'depth' | 'limit'>): string {
  const verbs = via && `VIA ${printVerbs(via.verbs)}${ARROWS[via.direction]}`;
  return join(verbs, depth !== undefined && `DEPTH ${depth}`, printLimit(limit));
}

/** The non-empty parts, separated by blanks. */
function join(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(' ');
}
