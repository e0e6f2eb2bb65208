import type { Aggregate, Expression, FieldRef, OrderKey, Operand, ReturnItem } from '../ast/ast.ts';
import { quote } from '../syntax/fault.ts';
import type {
  AggregateOperand,
  BoundAggregate,
  ResultColumn,
  GroupExpression,
  GroupOperand,
  Grouping,
  RowOperand,
} from './bound-query.ts';
import { boundColumn, itemOperand } from './column.ts';
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
  readonly #keys = new Numbering<RowOperand>();
  readonly #aggregates = new Numbering<BoundAggregate>();
  readonly #columns = new Map<string, GroupOperand>();

  /** `groupBy` is empty if the query is grouped only by an aggregate in RETURN. */
  constructor(scope: Scope, groupBy: readonly FieldRef[]) {
    this.#scope = scope;
    this.#isExplicit = groupBy.length > 0;
    for (const ref of groupBy) this.#addKey(scope.operand(ref));
  }

  column(item: ReturnItem): ResultColumn<GroupOperand> {
    const value = this.#item(item);
    if (item.alias !== undefined) this.#columns.set(item.alias.text, value);
    return boundColumn(item, value);
  }

  orderKey({ value }: OrderKey): GroupOperand {
    return this.#operand(value, 'ORDER BY');
  }

  having(expression: Expression): GroupExpression {
    const any = (operand: Operand): GroupOperand => this.#operand(operand, 'HAVING');
    const left = (operand: Operand): GroupOperand => this.#comparable(any(operand));
    const value = (ref: FieldRef): GroupOperand => {
      throw this.#scope.fault(ref.span, 'a field stands as a value in WHERE only');
    };
    return bindCondition<GroupOperand, GroupOperand>(this.#scope, { left, any, value }, expression);
  }

  grouping(having: GroupExpression | undefined): Grouping {
    const keys = this.#keys.all();
    const aggregates = this.#aggregates.all();
    const grouping: Grouping = { isExplicit: this.#isExplicit, keys, aggregates };
    return Object.freeze(having === undefined ? grouping : { ...grouping, having });
  }

  #item(item: ReturnItem): GroupOperand {
    if (item.value.kind === 'aggregate') return this.#aggregate(item.value);
    const operand = itemOperand(this.#scope, item.value);
    if (!this.#isExplicit) this.#addKey(operand);
    const key = this.#keyOf(operand);
    if (key !== undefined) return key;
    if (item.value.kind === 'ref' && isCount(item.value)) return this.#size(item.value);
    return this.#addAggregate({ function: 'first', distinct: false, argument: operand }, operand.span);
  }

  #operand(operand: Operand, clause: string): GroupOperand {
    if (operand.kind === 'aggregate') return this.#aggregate(operand);
    const column = operand.alias === undefined ? this.#columns.get(operand.field.text) : undefined;
    if (column !== undefined) return Object.freeze({ ...column, span: operand.span });
    const key = this.#keyOf(this.#scope.operand(operand));
    if (key !== undefined) return key;
    if (isCount(operand)) return this.#size(operand);
    const hint = 'it can refer to grouped fields, aggregates, RETURN aliases, and count';
    throw this.#scope.fault(operand.span, `${clause} uses a field that is not in GROUP BY`, { hint });
  }

  #comparable(operand: GroupOperand): GroupOperand {
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

  #addKey(operand: RowOperand): void {
    this.#keys.add(meaningOf(operand), operand);
  }

  #keyOf(operand: RowOperand): GroupOperand | undefined {
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
