/** What an aggregating projection reads of the rows before it, and whether it can take rows with weights. */
import { isListForm } from '../expression/compile-list-form.ts';
import { allParts, namesIn } from '../expression/parts.ts';
import type { Scope } from '../expression/scope.ts';
import { findAggregate } from '../function/aggregates.ts';
import type { CallExpression, Expression, ProjectionClause } from '../syntax/ast.ts';

export interface ProjectionReads {
  /** Slots of the elements that are read as a whole. */
  readonly whole: ReadonlySet<number>;
  /** Of elements of which only these properties are read: names by slot. */
  readonly properties: ReadonlyMap<number, ReadonlySet<string>>;
  /** Elements that are counted, and not read as a whole. */
  readonly counted: ReadonlySet<number>;
  /** Whether equal rows have the result of one. */
  readonly isOnce: boolean;
  /** Whether it only asks how many different values one variable has. */
  readonly isCountOfDistinct: boolean;
  /** Set where it only asks how many rows have this property of one variable. */
  readonly countedProperty: string | undefined;
}

/** Aggregates that take a value with its number. */
const WEIGHED: ReadonlySet<string> = new Set(['count', 'sum', 'avg', 'min', 'max']);
const ORDERLESS: ReadonlySet<string> = new Set(['min', 'max']);

/** Undefined where it does not aggregate, or by something that needs each row. */
export function projectionReads(clause: ProjectionClause, scope: Scope): ProjectionReads | undefined {
  const expressions = [...clause.items, ...clause.order].map(({ expression }) => expression);
  const aggregates = expressions.flatMap((expression) => [...allParts(expression)].filter(isAggregate));
  if (clause.isAll || aggregates.length === 0 || !aggregates.every(isWeighed)) return undefined;
  const isOnce = aggregates.every(({ name, isDistinct }) => isDistinct || ORDERLESS.has(name.toLowerCase()));
  const reader = new ReadsFinder(scope);
  for (const expression of expressions) reader.add(expression);
  return {
    ...reader.reads,
    isOnce,
    isCountOfDistinct: isCountOfDistinct(expressions, aggregates),
    countedProperty: countedProperty(expressions, aggregates),
  };
}

function countedProperty(
  expressions: readonly Expression[],
  aggregates: readonly CallExpression[],
): string | undefined {
  const properties = aggregates.flatMap((aggregate) => {
    const counted = countedIn(aggregate);
    return counted?.kind === 'property' && counted.subject.kind === 'variable'
      ? [{ name: counted.subject.name, key: counted.key }]
      : [];
  });
  const [first] = properties;
  const variables = variablesIn(expressions).length;
  const isAll = properties.length === aggregates.length && variables === aggregates.length;
  const isOne = properties.every(({ name, key }) => name === first?.name && key === first.key);
  return isAll && isOne ? first?.key : undefined;
}

function variablesIn(expressions: readonly Expression[]): readonly string[] {
  return expressions.flatMap((expression) =>
    [...allParts(expression)].flatMap((part) => (part.kind === 'variable' ? [part.name] : [])),
  );
}

function isCountOfDistinct(
  expressions: readonly Expression[],
  aggregates: readonly CallExpression[],
): boolean {
  const isCount = aggregates.every(({ name, isDistinct }) => isDistinct && name.toLowerCase() === 'count');
  const variables = variablesIn(expressions);
  const isBare = aggregates.every(({ args }) => args !== '*' && args[0]?.kind === 'variable');
  return isCount && isBare && variables.length === aggregates.length && new Set(variables).size === 1;
}

function isAggregate(part: Expression): part is CallExpression {
  return part.kind === 'call' && findAggregate(part.name) !== undefined;
}

function isWeighed({ name, isDistinct }: CallExpression): boolean {
  return WEIGHED.has(name.toLowerCase()) || (isDistinct && name.toLowerCase() === 'collect');
}

class ReadsFinder {
  readonly #scope: Scope;
  readonly #whole = new Set<number>();
  readonly #properties = new Map<number, Set<string>>();
  readonly #counted = new Set<number>();

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  get reads(): Pick<ProjectionReads, 'whole' | 'properties' | 'counted'> {
    const isPart = (slot: number): boolean => !this.#whole.has(slot);
    return {
      whole: this.#whole,
      properties: new Map([...this.#properties].filter(([slot]) => isPart(slot))),
      counted: new Set([...this.#counted].filter(isPart)),
    };
  }

  add(expression: Expression): void {
    const parts = [...allParts(expression)];
    const told = new Set(parts.map((part) => this.#addPart(part)));
    for (const part of parts) {
      if (part.kind === 'variable' && !told.has(part)) this.#addTo(this.#whole, part.name);
    }
  }

  /** Returns the variable of which the part tells how it is read. */
  #addPart(part: Expression): Expression | undefined {
    if (isListForm(part)) for (const name of namesIn(part)) this.#addTo(this.#whole, name);
    if (part.kind === 'property' && part.subject.kind === 'variable') {
      this.#addProperty(part.subject.name, part.key);
      return part.subject;
    }
    const counted = countedIn(part);
    if (counted?.kind === 'variable') this.#addTo(this.#counted, counted.name);
    return counted;
  }

  #addProperty(name: string, key: string): void {
    const slot = this.#scope.find(name)?.slot;
    if (slot === undefined) return;
    const keys = this.#properties.get(slot) ?? new Set<string>();
    keys.add(key);
    this.#properties.set(slot, keys);
  }

  #addTo(slots: Set<number>, name: string): void {
    const slot = this.#scope.find(name)?.slot;
    if (slot !== undefined) slots.add(slot);
  }
}

function countedIn(part: Expression): Expression | undefined {
  if (part.kind !== 'call' || part.isDistinct || part.name.toLowerCase() !== 'count') return undefined;
  return part.args === '*' ? undefined : part.args[0];
}
