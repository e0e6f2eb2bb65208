import {
  type Aggregate,
  type Expression,
  type FieldRef,
  isComputed,
  type OrderKey,
  type Operand,
  type ReturnItem,
} from '../ast/ast.ts';
import { quote } from '../syntax/fault.ts';
import {
  type AggregateOperand,
  type BoundAggregate,
  type ResultColumn,
  type GroupExpression,
  type GroupOperand,
  type GroupValue,
  type Grouping,
  isComputedOperand,
  type RowOperand,
  type RowValue,
} from './bound-query.ts';
import { bindComputed, boundColumn, hasAggregate, rowValue, wholeElement } from './column.ts';
import { bindCondition } from './condition.ts';
import { meaningOf, Numbering, type Scope } from './scope.ts';

/**
 * Collects the keys and aggregates of a grouped query while its clauses are bound. A bare name in HAVING and
 * ORDER BY resolves, in this order, to a RETURN alias, a grouped field, or `count` for COUNT(*).
 */
export class Groups {
  readonly #scope: Scope;
  readonly #isExplicit: boolean;
  /** Keys and aggregates by meaning; their order is their index. */
  readonly #keys = new Numbering<RowValue>();
  readonly #aggregates = new Numbering<BoundAggregate>();
  readonly #columns = new Map<string, GroupValue>();

  /** Without GROUP BY the items that are not of aggregates are the keys. */
  constructor(scope: Scope, groupBy: readonly FieldRef[], items: readonly ReturnItem[]) {
    this.#scope = scope;
    this.#isExplicit = groupBy.length > 0;
    for (const ref of groupBy) this.#addKey(scope.operand(ref));
    if (this.#isExplicit) return;
    for (const { value } of items) if (!hasAggregate(value)) this.#addKey(rowValue(scope, value));
  }

  column(item: ReturnItem): ResultColumn<GroupValue> {
    const value = this.#item(item);
    if (item.alias !== undefined) this.#columns.set(item.alias.text, value);
    return boundColumn(item, value);
  }

  orderKey({ value }: OrderKey): GroupValue {
    return this.#operand(value, 'ORDER BY');
  }

  having(expression: Expression): GroupExpression {
    const any = (operand: Operand): GroupValue => this.#operand(operand, 'HAVING');
    const left = (operand: Operand): GroupValue => this.#comparable(any(operand));
    const value = (ref: FieldRef): GroupValue => {
      throw this.#scope.fault(ref.span, 'a field stands as a value in WHERE only');
    };
    return bindCondition<GroupValue, GroupValue>(this.#scope, { left, any, value }, expression);
  }

  grouping(having: GroupExpression | undefined): Grouping {
    const keys = this.#keys.all();
    const aggregates = this.#aggregates.all();
    const grouping: Grouping = { isExplicit: this.#isExplicit, keys, aggregates };
    return Object.freeze(having === undefined ? grouping : { ...grouping, having });
  }

  #item({ value }: ReturnItem): GroupValue {
    if (value.kind === 'aggregate') return this.#aggregate(value);
    if (isComputed(value)) {
      const key = hasAggregate(value) ? undefined : this.#keyOf(rowValue(this.#scope, value));
      return key ?? bindComputed(this.#scope, value, (leaf) => this.#leaf(leaf));
    }
    if (value.kind === 'ref') return this.#ofGroup(value);
    const element = wholeElement(this.#scope, value);
    return this.#keyOf(element) ?? this.#first(element);
  }

  /** What a value with aggregates, or one of a group, is computed of. */
  #leaf(leaf: FieldRef | Aggregate): GroupOperand {
    if (leaf.kind === 'aggregate') return this.#aggregate(leaf);
    if (this.#isExplicit) return this.#ofGroup(leaf);
    const key = this.#keyOf(this.#scope.operand(leaf));
    if (key !== undefined) return key;
    const hint = 'return the field, too, or write GROUP BY';
    throw this.#scope.fault(leaf.span, 'a field beside an aggregate is of no group', { hint });
  }

  /** A key, the size, or the first value. */
  #ofGroup(ref: FieldRef): GroupOperand {
    const operand = this.#scope.operand(ref);
    const key = this.#keyOf(operand);
    if (key !== undefined) return key;
    if (isCount(ref)) return this.#size(ref);
    return this.#first(operand);
  }

  #first(operand: RowOperand): AggregateOperand {
    return this.#addAggregate({ function: 'first', distinct: false, argument: operand }, operand.span);
  }

  #operand(operand: Operand, clause: string): GroupValue {
    if (operand.kind === 'aggregate') return this.#aggregate(operand);
    const column = operand.alias === undefined ? this.#columns.get(operand.field.text) : undefined;
    if (column !== undefined) return Object.freeze({ ...column, span: operand.span });
    const key = this.#keyOf(this.#scope.operand(operand));
    if (key !== undefined) return key;
    if (isCount(operand)) return this.#size(operand);
    const hint = 'it can refer to grouped fields, aggregates, RETURN aliases, and count';
    throw this.#scope.fault(operand.span, `${clause} uses a field that is not in GROUP BY`, { hint });
  }

  #comparable(operand: GroupValue): GroupValue {
    if (isComputedOperand(operand)) return operand;
    const source =
      operand.kind === 'key' ? this.#keys.at(operand.index) : this.#aggregates.at(operand.index)?.argument;
    const isElement = typeof source === 'object' && source.kind === 'element';
    const isValue = operand.kind === 'aggregate' && this.#aggregates.at(operand.index)?.function !== 'first';
    if (!isElement || isValue) return operand;
    throw this.#scope.fault(operand.span, 'only the existence of a whole element can be tested here');
  }

  #aggregate({ function: name, distinct, argument, span }: Aggregate): AggregateOperand {
    if (argument === '*') return this.#addAggregate({ function: name, distinct, argument }, span);
    const operand = this.#scope.operand(argument);
    if (operand.kind === 'element' && name !== 'count') {
      const hint = `name one of its fields: ${argument.field.text}.display_name`;
      const message = `${name.toUpperCase()} requires a field, and ${quote(argument.field.text)} is an element`;
      throw this.#scope.fault(operand.span, message, { hint });
    }
    return this.#addAggregate({ function: name, distinct, argument: operand }, span);
  }

  #size({ span }: FieldRef): AggregateOperand {
    return this.#addAggregate({ function: 'count', distinct: false, argument: '*' }, span);
  }

  #addAggregate(aggregate: BoundAggregate, span: AggregateOperand['span']): AggregateOperand {
    const index = this.#aggregates.add(meaningOfAggregate(aggregate), Object.freeze(aggregate));
    return Object.freeze({ kind: 'aggregate', index, span });
  }

  #addKey(operand: RowValue): void {
    this.#keys.add(meaningOf(operand), operand);
  }

  #keyOf(operand: RowValue): GroupOperand | undefined {
    const index = this.#keys.indexOf(meaningOf(operand));
    return index === undefined ? undefined : Object.freeze({ kind: 'key', index, span: operand.span });
  }
}

/** Whether the reference is a bare `count`. */
function isCount(ref: FieldRef): boolean {
  return ref.alias === undefined && ref.field.text.toLowerCase() === 'count';
}

function meaningOfAggregate(aggregate: BoundAggregate): string {
  const argument = aggregate.argument === '*' ? '*' : meaningOf(aggregate.argument);
  return `${aggregate.function} ${String(aggregate.distinct)} ${argument}`;
}
