import type {
  BlastQuery,
  CountValue,
  FindQuery,
  OrderKey,
  PathQuery,
  Query,
  ReturnClause,
  ReturnItem,
  ViaPattern,
} from '../ast/ast.ts';
import type {
  BoundBlast,
  BoundFind,
  BoundOrderKey,
  BoundPath,
  BoundQuery,
  BoundReturn,
  BoundVia,
  ResultColumn,
  GroupValue,
  RowValue,
} from './bound-query.ts';
import { boundColumn, hasAggregate, rowValue } from './column.ts';
import { withClassAliases } from './class-aliases.ts';
import { distinct } from './distinct.ts';
import { Elements } from './elements.ts';
import { Groups } from './groups.ts';
import { bindWhere } from './row-condition.ts';
import { meaningOf, Scope } from './scope.ts';

/**
 * Resolves the names of a parsed query. `text` is its source. Throws PQL_SYNTAX with the position in it for
 * an unknown or duplicate alias and for a misplaced field.
 */
export function bind(query: Query, text: string): BoundQuery {
  const scope = new Scope(text);
  const body = bindBody(scope, query.body);
  const parameters = Object.freeze([...scope.parameters.values()]);
  const { mode, asOf } = query;
  const warnings = Object.freeze(scope.warnings);
  return Object.freeze({ mode, body, parameters, warnings, ...(asOf && { asOf }) });
}

function bindBody(scope: Scope, body: Query['body']): BoundQuery['body'] {
  switch (body.kind) {
    case 'find':
      return bindFind(scope, body);
    case 'path':
      return bindPath(scope, body);
    case 'blast':
      return bindBlast(scope, body);
  }
}

function bindFind(scope: Scope, query: FindQuery): BoundFind {
  const find = withClassAliases(query);
  const elements = new Elements(scope);
  elements.declareNode(find.node);
  elements.declareHops(find.hops);
  const node = elements.bindNode(find.node);
  const hops = elements.bindHops(find.hops);
  const where = find.where && { where: bindWhere(scope, find.where) };
  const isGrouped =
    find.groupBy.length > 0 || find.returns?.items.some(({ value }) => hasAggregate(value)) === true;
  const output = isGrouped ? bindGroups(scope, find) : bindRows(scope, find);
  const skip = find.skip && { skip: noted(scope, find.skip) };
  const limit = find.limit && { limit: noted(scope, find.limit) };
  const all = Object.freeze(elements.all);
  return Object.freeze({ kind: 'find', elements: all, node, hops, ...where, ...output, ...skip, ...limit });
}

type Output = Pick<BoundFind, 'grouping' | 'returns' | 'orderBy'>;

function bindRows(scope: Scope, find: FindQuery): Output {
  const { returns } = find;
  if (returns === undefined || returns.kind === 'count') {
    const orderBy = bindOrder(find.orderBy, (key) => rowOrderKey(scope, key, new Map()));
    return returns === undefined ? { orderBy } : { returns: Object.freeze({ kind: 'count' }), orderBy };
  }
  const named = new Map<string, RowValue>();
  const columns = bindColumns(scope, returns, (item) => {
    const value = rowValue(scope, item.value);
    if (item.alias !== undefined) named.set(item.alias.text, value);
    return boundColumn(item, value);
  });
  const orderBy = bindOrder(find.orderBy, (key) => rowOrderKey(scope, key, named));
  refuseHiddenOrder(scope, returns, columns, orderBy);
  return { returns: Object.freeze({ kind: 'rows', distinct: returns.distinct, columns }), orderBy };
}

/** A bare name is a RETURN alias, an alias, or a field of the FIND entity. */
function rowOrderKey(scope: Scope, key: OrderKey, named: ReadonlyMap<string, RowValue>): RowValue {
  const { value } = key;
  if (value.kind === 'aggregate') {
    const hint = 'write GROUP BY, or return the aggregate';
    throw scope.fault(value.span, 'ORDER BY can use an aggregate in a grouped query only', { hint });
  }
  const column = value.alias === undefined ? named.get(value.field.text) : undefined;
  return column === undefined ? scope.operand(value) : Object.freeze({ ...column, span: value.span });
}

function bindGroups(scope: Scope, find: FindQuery): Output {
  const { returns } = find;
  const groups = new Groups(scope, find.groupBy, returns?.items ?? []);
  const columns = returns && bindColumns(scope, returns, (item) => groups.column(item));
  const having = find.having && groups.having(find.having);
  const orderBy = bindOrder(find.orderBy, (key) => groups.orderKey(key));
  if (returns && columns) refuseHiddenOrder(scope, returns, columns, orderBy);
  const grouping = groups.grouping(having);
  if (returns === undefined || columns === undefined) return { grouping, orderBy };
  const { distinct: isDistinct, kind } = returns;
  const bound: BoundReturn = kind === 'count' ? { kind } : { kind: 'groups', distinct: isDistinct, columns };
  return { grouping, returns: Object.freeze(bound), orderBy };
}

function bindColumns<Operand>(
  scope: Scope,
  returns: ReturnClause,
  bindItem: (item: ReturnItem) => ResultColumn<Operand>,
): readonly ResultColumn<Operand>[] {
  const taken = new Set<string>();
  for (const { alias } of returns.items) {
    if (alias === undefined) continue;
    if (taken.has(alias.text)) throw scope.fault(alias.span, `two columns are named \`${alias.text}\``);
    taken.add(alias.text);
  }
  return Object.freeze(returns.items.map(bindItem));
}

function bindOrder(
  keys: readonly OrderKey[],
  bindKey: (key: OrderKey) => RowValue | GroupValue,
): readonly BoundOrderKey[] {
  return Object.freeze(keys.map((key) => Object.freeze({ value: bindKey(key), descending: key.descending })));
}

/** DISTINCT merges equal rows, so a value that is not returned is ambiguous as a sort key. */
function refuseHiddenOrder(
  scope: Scope,
  returns: ReturnClause,
  columns: readonly ResultColumn<RowValue | GroupValue>[],
  orderBy: readonly BoundOrderKey[],
): void {
  if (!returns.distinct) return;
  const returned = new Set(columns.map(({ value }) => meaningOf(value)));
  const hidden = orderBy.find(({ value }) => !returned.has(meaningOf(value)));
  if (hidden === undefined) return;
  throw scope.fault(hidden.value.span, 'with DISTINCT, ORDER BY can use returned columns only');
}

function bindPath(scope: Scope, { all, each, from, to, ...rest }: PathQuery): BoundPath {
  const elements = new Elements(scope);
  elements.declareEnd(from);
  elements.declareEnd(to);
  const ends = { from: elements.bindEnd(from), to: elements.bindEnd(to) };
  return Object.freeze({
    kind: 'path',
    all: all === true,
    each: each === true,
    ...ends,
    ...bindBounds(scope, rest),
  });
}

function bindBlast(scope: Scope, { from, ...rest }: BlastQuery): BoundBlast {
  const elements = new Elements(scope);
  elements.declareEnd(from);
  return Object.freeze({ kind: 'blast', from: elements.bindEnd(from), ...bindBounds(scope, rest) });
}

type Bounds<Via> = Via & Pick<PathQuery, 'depth' | 'limit'>;

function bindBounds(
  scope: Scope,
  { via, depth, limit }: Bounds<Pick<PathQuery, 'via'>>,
): Bounds<Pick<BoundPath, 'via'>> {
  const bounds = { ...(depth !== undefined && { depth }), ...(limit && { limit: noted(scope, limit) }) };
  return { via: bindVia(via), ...bounds };
}

const ANY_WAY: BoundVia = Object.freeze({ verbs: '*', direction: 'any' });

function bindVia(via: ViaPattern | undefined): BoundVia {
  if (via === undefined) return ANY_WAY;
  const verbs = distinct(via.verbs.names, (verb) => verb.toUpperCase());
  return Object.freeze({ verbs, direction: via.direction });
}

function noted(scope: Scope, count: CountValue): CountValue {
  if (count.kind === 'parameter') scope.note(count);
  return count;
}
