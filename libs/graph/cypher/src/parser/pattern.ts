/** Patterns: nodes and relationships in MATCH, CREATE and MERGE, and in expressions. */
import type {
  Expression,
  HopRange,
  LinkDirection,
  LinkPattern,
  Name,
  NodePattern,
  PathPattern,
  PathSelector,
  RepeatedPath,
} from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import type { Cursor } from './cursor.ts';
import { parseLabels } from './labels.ts';
import { parseMapOrParameter } from './map.ts';

const SHORTEST: Readonly<Record<string, 'one' | 'all'>> = { SHORTESTPATH: 'one', ALLSHORTESTPATHS: 'all' };

/** `[p =] (a)-[r]->(b)` or `[p =] shortestPath(…)` */
export function parsePathPattern(cursor: Cursor): PathPattern {
  const start = cursor.token;
  let variable: Name | undefined;
  if (cursor.isName() && cursor.isSymbol('=', 1)) {
    variable = cursor.expectName('a variable');
    cursor.advance();
  }
  const path = parseAnonymousPath(cursor);
  return { ...path, variable, span: cursor.spanFrom(start) };
}

/** The same in MATCH, with a selector: `p = SHORTEST 2 (a)-[:R]->+(b)`. */
export function parseSelectedPath(cursor: Cursor): PathPattern {
  const start = cursor.token;
  const at = cursor.isName() && cursor.isSymbol('=', 1) ? 2 : 0;
  if (!isSelector(cursor, at)) return parsePathPattern(cursor);
  const variable = at === 0 ? undefined : cursor.expectName('a variable');
  if (variable !== undefined) cursor.advance();
  const selector = parseSelector(cursor);
  const isInParentheses = cursor.isSymbol('(') && cursor.isSymbol('(', 1) && !isRepeated(cursor);
  const { path, where } = isInParentheses
    ? parseParenthesizedPath(cursor)
    : { path: parseChain(cursor), where: undefined };
  const span = cursor.spanFrom(start);
  return { variable, shortest: undefined, selector, where, ...path, span };
}

export function isSelector(cursor: Cursor, ahead = 0): boolean {
  return ['SHORTEST', 'ANY', 'ALL'].some((keyword) => cursor.isKeyword(keyword, ahead));
}

/** Undefined for `ALL`, which chooses nothing. */
function parseSelector(cursor: Cursor): PathSelector | undefined {
  const start = cursor.advance();
  if (start.keyword === 'SHORTEST') return parseShortest(cursor, start);
  const isShortest = cursor.acceptPhrase('SHORTEST');
  const isAll = start.keyword === 'ALL';
  const count = isAll || isShortest ? undefined : parseCount(cursor);
  acceptPaths(cursor);
  if (isAll && !isShortest) return undefined;
  return { count: count ?? 1, isOfGroups: isAll, span: cursor.spanFrom(start) };
}

function parseShortest(cursor: Cursor, start: Cursor['token']): PathSelector {
  const count = parseCount(cursor);
  acceptPaths(cursor);
  const isOfGroups = cursor.acceptPhrase('GROUPS') || cursor.acceptPhrase('GROUP');
  if (count === undefined && !isOfGroups) {
    const hint = 'SHORTEST 1, ALL SHORTEST or SHORTEST GROUP';
    throw cursor.fault('a number of paths after SHORTEST', { hint });
  }
  return { count: count ?? 1, isOfGroups, span: cursor.spanFrom(start) };
}

/** A word that says nothing. */
function acceptPaths(cursor: Cursor): void {
  if (!cursor.acceptPhrase('PATHS')) cursor.acceptPhrase('PATH');
}

function parseCount(cursor: Cursor): number | undefined {
  const start = cursor.token;
  const count = parseBound(cursor);
  if (count !== 0) return count;
  throw new SyntaxFault('InvalidArgumentValue', start, 'a path selector chooses at least one path');
}

/** Whether the parenthesis here is a quantified path pattern. */
function isRepeated(cursor: Cursor): boolean {
  const closing = cursor.closingAhead();
  return closing !== undefined && ['+', '*', '{'].some((symbol) => cursor.isSymbol(symbol, closing + 1));
}

function parseParenthesizedPath(cursor: Cursor): {
  readonly path: Chain;
  readonly where: Expression | undefined;
} {
  cursor.expectSymbol('(');
  const parsed = cursor.reservingBar(false, () =>
    cursor.nested(() => ({ path: parseChain(cursor), where: parseInlineWhere(cursor) })),
  );
  cursor.expectSymbol(')');
  return parsed;
}

/** A path without a variable. */
export function parseAnonymousPath(cursor: Cursor): PathPattern {
  const start = cursor.token;
  const shortest = cursor.isSymbol('(', 1) ? SHORTEST[cursor.token.keyword] : undefined;
  if (shortest !== undefined) {
    cursor.advance();
    cursor.advance();
  }
  const { nodes, links } = parseChain(cursor);
  if (shortest !== undefined) cursor.expectSymbol(')');
  return { variable: undefined, shortest, nodes, links, span: cursor.spanFrom(start) };
}

type Chain = Pick<PathPattern, 'nodes' | 'links'>;

function parseChain(cursor: Cursor): Chain {
  const nodes: NodePattern[] = [];
  const links: LinkPattern[] = [];
  for (;;) {
    if (cursor.isSymbol('(') && cursor.isSymbol('(', 1)) {
      if (nodes.length === links.length) nodes.push(anyNode(cursor));
      links.push(parseRepeated(cursor));
    } else if (nodes.length === links.length) {
      const isAfterGroup = links.at(-1)?.group !== undefined;
      nodes.push(isAfterGroup && !cursor.isSymbol('(') ? anyNode(cursor) : parseNode(cursor));
    } else if (cursor.isSymbol('-') || cursor.isSymbol('<')) links.push(parseLink(cursor));
    else return { nodes, links };
  }
}

/** Between quantified path patterns, and at their ends, a node may be left out. */
function anyNode(cursor: Cursor): NodePattern {
  const { start } = cursor.token;
  const span = { start, end: start };
  return { variable: undefined, labels: undefined, properties: undefined, where: undefined, span };
}

/** `((a)-[r]->(b) WHERE condition){1,3}` */
function parseRepeated(cursor: Cursor): LinkPattern {
  const start = cursor.token;
  cursor.expectSymbol('(');
  const group = cursor.reservingBar(false, () => cursor.nested(() => parseRepeatedPath(cursor)));
  cursor.expectSymbol(')');
  const range = parseQuantifier(cursor);
  if (range === undefined) throw cursor.fault('a quantifier such as {1,3}, + or *');
  return { ...NOTHING_INSIDE, direction: 'out', range, group, span: cursor.spanFrom(start) };
}

function parseRepeatedPath(cursor: Cursor): RepeatedPath {
  const start = cursor.token;
  const chain = parseChain(cursor);
  const span = cursor.spanFrom(start);
  const isPlain = chain.links.length > 0 && chain.links.every(({ range }) => range === undefined);
  if (!isPlain) {
    const message = 'a quantified path pattern has relationships, and none of variable length';
    throw new SyntaxFault('InvalidRelationshipPattern', span, message);
  }
  const path: PathPattern = { variable: undefined, shortest: undefined, ...chain, span };
  return { path, where: parseInlineWhere(cursor) };
}

/** `+`, `*`, `{2}`, `{1,3}`, `{,3}`, `{1,}`; undefined without one. */
function parseQuantifier(cursor: Cursor): HopRange | undefined {
  if (cursor.acceptSymbol('+')) return { min: 1, max: undefined };
  if (cursor.acceptSymbol('*')) return { min: 0, max: undefined };
  const start = cursor.token;
  if (!cursor.acceptSymbol('{')) return undefined;
  const low = parseBound(cursor);
  const hasComma = cursor.acceptSymbol(',');
  const max = hasComma ? parseBound(cursor) : low;
  if (low === undefined && !hasComma) throw cursor.fault('a number of repetitions');
  cursor.expectSymbol('}');
  const min = low ?? 0;
  if (max === undefined || (max > 0 && min <= max)) return { min, max };
  const message = 'a quantifier has an upper bound of at least 1, and not below the lower one';
  throw new SyntaxFault('InvalidRelationshipPattern', cursor.spanFrom(start), message);
}

function parseNode(cursor: Cursor): NodePattern {
  const start = cursor.token;
  cursor.expectSymbol('(');
  const inside = cursor.reservingBar(false, () => parseInside(cursor));
  if (!cursor.acceptSymbol(')')) throw cursor.fault('`)` at the end of the node');
  return { ...inside, span: cursor.spanFrom(start) };
}

function parseInside(cursor: Cursor): Omit<NodePattern, 'span'> {
  const isWhere = cursor.isKeyword('WHERE') && !cursor.isSymbol(')', 1) && !cursor.isSymbol(':', 1);
  const variable = cursor.isName() && !isWhere ? cursor.expectName('a variable') : undefined;
  const labels = parseLabels(cursor);
  const properties = parseMapOrParameter(cursor);
  const where = parseInlineWhere(cursor);
  return { variable, labels, properties, where };
}

function parseInlineWhere(cursor: Cursor): Expression | undefined {
  return cursor.acceptPhrase('WHERE') ? cursor.expression() : undefined;
}

function parseLink(cursor: Cursor): LinkPattern {
  const start = cursor.token;
  const isLeft = cursor.acceptSymbol('<');
  cursor.expectSymbol('-');
  const inside = cursor.acceptSymbol('[')
    ? cursor.reservingBar(false, () => parseLinkInside(cursor))
    : NOTHING_INSIDE;
  cursor.expectSymbol('-');
  const isRight = cursor.acceptSymbol('>');
  const direction: LinkDirection = isLeft === isRight ? 'any' : isRight ? 'out' : 'in';
  const at = cursor.token;
  const quantifier = parseQuantifier(cursor);
  if (quantifier !== undefined && inside.range !== undefined) {
    throw new SyntaxFault(
      'InvalidRelationshipPattern',
      at,
      'a relationship has one range: `*1..3` or `{1,3}`',
    );
  }
  return { ...inside, range: quantifier ?? inside.range, direction, span: cursor.spanFrom(start) };
}

type LinkInside = Omit<LinkPattern, 'span' | 'direction' | 'group'>;

const NOTHING_INSIDE: LinkInside = {
  variable: undefined,
  types: undefined,
  range: undefined,
  properties: undefined,
  where: undefined,
};

function parseLinkInside(cursor: Cursor): LinkInside {
  const isWhere = cursor.isKeyword('WHERE') && !cursor.isSymbol(']', 1) && !cursor.isSymbol(':', 1);
  const variable = cursor.isName() && !isWhere ? cursor.expectName('a variable') : undefined;
  const types = parseLabels(cursor);
  const range = parseRange(cursor);
  const properties = parseMapOrParameter(cursor);
  const where = parseInlineWhere(cursor);
  if (!cursor.acceptSymbol(']')) {
    throw cursor.fault('`]` at the end of the relationship', { kind: 'InvalidRelationshipPattern' });
  }
  return { variable, types, range, properties, where };
}

/** `*`, `*2`, `*1..`, `*..3`, `*1..3` */
function parseRange(cursor: Cursor): HopRange | undefined {
  if (!cursor.acceptSymbol('*')) return undefined;
  const min = parseBound(cursor);
  if (!cursor.acceptSymbol('..')) return min === undefined ? { min: 1, max: undefined } : { min, max: min };
  return { min: min ?? 1, max: parseBound(cursor) };
}

function parseBound(cursor: Cursor): number | undefined {
  const { kind, text } = cursor.token;
  if (kind === 'symbol' && text === '-') {
    throw new SyntaxFault('InvalidRelationshipPattern', cursor.token, 'a number of hops is not negative');
  }
  if (kind !== 'integer') return undefined;
  const hops = Number(text);
  if (Number.isSafeInteger(hops)) {
    cursor.advance();
    return hops;
  }
  throw new SyntaxFault('IntegerOverflow', cursor.token, 'a number of hops is below 2^53');
}

/**
 * Whether the parenthesis here begins a pattern with a relationship, not an expression: decided by the tokens
 * inside its start and behind its end, without reading what stands between.
 */
export function isPatternStart(cursor: Cursor, ahead = 0): boolean {
  const closing = cursor.closingAhead(ahead);
  if (!cursor.isSymbol('(', ahead) || closing === undefined) return false;
  return isNodeStart(cursor, ahead + 1) && isLinkStart(cursor, closing + 1);
}

function isNodeStart(cursor: Cursor, ahead: number): boolean {
  const isAt = (symbols: readonly string[], at: number): boolean =>
    symbols.some((symbol) => cursor.isSymbol(symbol, at));
  if (isAt([')', ':', '{'], ahead)) return true;
  if (!cursor.isName(ahead)) return false;
  return isAt([')', ':', '{'], ahead + 1) || cursor.isKeyword('WHERE', ahead + 1);
}

/** `-[`, `--`, `<-`, `-->`, and `((` of a quantified path. `(a) - [1]` is read as a pattern too. */
function isLinkStart(cursor: Cursor, ahead: number): boolean {
  if (cursor.isSymbol('(', ahead)) return cursor.isSymbol('(', ahead + 1);
  if (cursor.isSymbol('<', ahead)) {
    return (
      cursor.isSymbol('-', ahead + 1) && (cursor.isSymbol('[', ahead + 2) || cursor.isSymbol('-', ahead + 2))
    );
  }
  if (!cursor.isSymbol('-', ahead)) return false;
  if (cursor.isSymbol('[', ahead + 1)) return true;
  const isDouble = cursor.isSymbol('-', ahead + 1);
  return isDouble && (cursor.isSymbol('(', ahead + 2) || cursor.isSymbol('>', ahead + 2));
}
