/**
 * Turns expressions into functions of a row. Names are resolved and functions are found before anything runs;
 * kinds of values are checked when they are known, else at the evaluation.
 */
import { findAggregate } from '../function/aggregates.ts';
import { findFunction, nearestFunction } from '../function/functions.ts';
import { propertyOf } from '../function/graph-functions.ts';
import { normalTest } from '../function/text-functions.ts';
import type {
  BinaryExpression,
  CallExpression,
  ComparisonExpression,
  Expression,
  LabelTest,
  LiteralExpression,
  MapProjection,
  ParameterExpression,
  VariableExpression,
} from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { whyNotOffered } from '../syntax/not-offered.ts';
import { hasType } from '../value/value-type.ts';
import { sizeOf, type Value } from '../value/value.ts';
import { compileCase } from './compile-case.ts';
import { compileListForm, isListForm, type ListForm } from './compile-list-form.ts';
import { elementOf, sliceOf } from './element.ts';
import { compileLabels } from './labels.ts';
import { not, truthOf } from './logic.ts';
import { applyBinary, applyUnary, compareBy } from './operators.ts';
import type { Evaluate, Evaluation, Run } from '../graph/run.ts';
import type { Scope } from './scope.ts';
import { alsoAtOnce, neededValue, withNeededValues } from './needed-value.ts';
import { allParts, namesIn } from './parts.ts';
import { projectedMap } from './projected-map.ts';
import {
  refuseArgument,
  refuseNonBoolean,
  refuseNonList,
  refuseNonNumeric,
  refusePropertyless,
} from './static-type.ts';
import type { SubqueryCompiler } from './subqueries.ts';

/** Replaces an aggregating call by the slot of its result; undefined where none is allowed. */
export type AggregateResolver = (call: CallExpression) => Evaluate;

export interface CompilerParts {
  readonly scope: Scope;
  readonly subqueries: SubqueryCompiler;
  readonly aggregates?: AggregateResolver | undefined;
  /** What is known already, such as a grouping key, by the expression's place in the tree. */
  readonly known?: ((expression: Expression) => Evaluate | undefined) | undefined;
}

export class ExpressionCompiler {
  readonly #parts: CompilerParts;

  constructor(parts: CompilerParts) {
    this.#parts = parts;
  }

  get scope(): Scope {
    return this.#parts.scope;
  }

  /** For expressions with further variables. What is known of a name says nothing of one that hides it. */
  within(scope: Scope): ExpressionCompiler {
    const { known, scope: outer } = this.#parts;
    const isHidden = (name: string): boolean => scope.find(name) !== outer.find(name);
    const knownWithin = (part: Expression): Evaluate | undefined => {
      const found = known?.(part);
      return found !== undefined && [...namesIn(part)].some(isHidden) ? undefined : found;
    };
    return new ExpressionCompiler({ ...this.#parts, scope, known: knownWithin, aggregates: undefined });
  }

  get subqueries(): SubqueryCompiler {
    return this.#parts.subqueries;
  }

  compile(expression: Expression): Evaluate {
    return this.#parts.scope.slots.nested(
      expression.span,
      () => this.#parts.known?.(expression) ?? this.#compile(expression),
    );
  }

  /**
   * As stages evaluate it, with pauses. Forms that may be long, such as subqueries, are taken out of the
   * expression: where it asks for the value of one, that is evaluated in steps, and it begins again with it.
   */
  evaluation(expression: Expression): Evaluation {
    const known = this.#parts.known?.(expression);
    if (known !== undefined) return { evaluate: known };
    if (isListForm(expression)) return alsoAtOnce(compileListForm(this, expression));
    if (!hasListForm(expression)) return { evaluate: this.compile(expression) };
    const waiting = new ExpressionCompiler({
      ...this.#parts,
      known: (part) => this.#parts.known?.(part) ?? (isListForm(part) ? this.#needed(part) : undefined),
    });
    return alsoAtOnce(withNeededValues(waiting.compile(expression)));
  }

  #needed(form: ListForm): Evaluate {
    return neededValue(this.#parts.scope.slots.next(), compileListForm(this, form));
  }

  /** A condition: what is neither true, false nor null is a type error. */
  condition(expression: Expression): Evaluation {
    refuseNonBoolean(expression, this.#parts.scope);
    const { evaluate, inSteps: steps } = this.evaluation(expression);
    return {
      evaluate: (row, run) => truthOf(evaluate(row, run)),
      inSteps:
        steps &&
        function* (row, run) {
          return truthOf(yield* steps(row, run));
        },
    };
  }

  #compile(expression: Expression): Evaluate {
    switch (expression.kind) {
      case 'literal':
        return () => expression.value;
      case 'parameter':
        return this.#parameter(expression);
      case 'variable':
        return this.#variable(expression);
      case 'property':
        return this.#property(expression.subject, expression.key);
      case 'index':
        return this.#pair(expression.subject, expression.index, elementOf);
      case 'slice':
        return this.#slice(expression);
      case 'binary':
        return this.#binary(expression);
      case 'comparison':
        return this.#comparison(expression);
      default:
        return this.#compileFurther(expression);
    }
  }

  #compileFurther(expression: Exclude<Expression, { kind: CommonKind }>): Evaluate {
    switch (expression.kind) {
      case 'list':
        return this.#list(expression.items);
      case 'map':
        return this.#map(expression.entries);
      case 'projection':
        return this.#projection(expression);
      case 'unary': {
        const operand = this.compile(expression.operand);
        if (expression.operator === 'not') {
          refuseNonBoolean(expression.operand, this.#parts.scope);
          return (row, run) => not(operand(row, run));
        }
        const { operator } = expression;
        return (row, run) => applyUnary(operator, operand(row, run));
      }
      case 'null-test': {
        const operand = this.compile(expression.operand);
        return (row, run) => (operand(row, run) === null) !== expression.isNegated;
      }
      case 'type-test': {
        const { type, isNegated } = expression;
        const operand = this.compile(expression.operand);
        return (row, run) => hasType(operand(row, run), type) !== isNegated;
      }
      case 'normal-test': {
        const operand = this.compile(expression.operand);
        return (row, run) => normalTest(operand(row, run), expression);
      }
      case 'label-test':
        return this.#labelTest(expression);
      case 'call':
        return this.#call(expression);
      case 'case':
        return compileCase(expression, (part) => this.compile(part));
      default:
        return alsoAtOnce(compileListForm(this, expression)).evaluate;
    }
  }

  /** Its value is there: a statement does not begin to run without one. */
  #parameter({ name, span }: ParameterExpression): Evaluate {
    const { parameters } = this.#parts.scope.slots;
    if (!parameters.has(name)) parameters.set(name, span);
    return (_, run) => run.parameters.get(name) ?? null;
  }

  #variable({ name, span }: VariableExpression): Evaluate {
    const { slot } = this.#parts.scope.resolve(name, span);
    return (row) => row[slot] ?? null;
  }

  #property(subject: Expression, key: string): Evaluate {
    if (this.#parts.known?.(subject) === undefined) refusePropertyless(subject, this.#parts.scope);
    const evaluate = this.compile(subject);
    return (row, run) => propertyOf(run.graph, evaluate(row, run), key);
  }

  #pair(left: Expression, right: Expression, apply: (a: Value, b: Value, run: Run) => Value): Evaluate {
    const [first, second] = [this.compile(left), this.compile(right)];
    return (row, run) => apply(first(row, run), second(row, run), run);
  }

  #slice({ subject, from, to }: Extract<Expression, { kind: 'slice' }>): Evaluate {
    const list = this.compile(subject);
    const low = from && this.compile(from);
    const high = to && this.compile(to);
    return (row, run) => {
      const slice = sliceOf(list(row, run), low?.(row, run), high?.(row, run));
      run.make(sizeOf(slice));
      return slice;
    };
  }

  /** A chain `a AND b AND c` is evaluated in a loop, however long it is. */
  #binary(expression: BinaryExpression): Evaluate {
    const links: { readonly operator: BinaryExpression['operator']; readonly right: Evaluate }[] = [];
    let first: Expression = expression;
    while (first.kind === 'binary' && this.#parts.known?.(first) === undefined) {
      if (isLogical(first.operator)) {
        refuseNonBoolean(first.right, this.#parts.scope);
        refuseNonBoolean(first.left, this.#parts.scope);
      }
      if (first.operator === 'in') refuseNonList(first.right, this.#parts.scope);
      for (const operand of [first.left, first.right])
        refuseNonNumeric(first.operator, operand, this.#parts.scope);
      links.push({ operator: first.operator, right: this.compile(first.right) });
      first = first.left;
    }
    const start = this.compile(first);
    links.reverse();
    return (row, run) => {
      let value = start(row, run);
      for (const { operator, right } of links) {
        value = applyBinary(operator, value, () => right(row, run), run);
        if (typeof value === 'string' || typeof value === 'object') run.make(sizeOf(value));
      }
      return value;
    };
  }

  #comparison({ first, rest }: ComparisonExpression): Evaluate {
    const start = this.compile(first);
    const links = rest.map(({ operator, operand }) => ({ operator, operand: this.compile(operand) }));
    return (row, run) => {
      let left = start(row, run);
      let truth: boolean | null = true;
      for (const { operator, operand } of links) {
        const right = operand(row, run);
        const holds = compareBy(operator, left, right);
        if (holds === false) return false;
        if (holds === null) truth = null;
        left = right;
      }
      return truth;
    };
  }

  #list(items: readonly Expression[]): Evaluate {
    if (items.every(isLiteral)) {
      // One list for all rows.
      const values = items.map(({ value }) => value);
      return () => values;
    }
    const evaluates = items.map((item) => this.compile(item));
    return (row, run) => {
      run.make(evaluates.length);
      return evaluates.map((evaluate) => evaluate(row, run));
    };
  }

  #map(entries: readonly { readonly key: string; readonly value: Expression }[]): Evaluate {
    const evaluates = entries.map(({ key, value }) => [key, this.compile(value)] as const);
    return (row, run) => {
      run.make(2 * evaluates.length);
      return new Map(evaluates.map(([key, evaluate]) => [key, evaluate(row, run)]));
    };
  }

  #projection({ variable, hasAll, entries }: MapProjection): Evaluate {
    const subject = this.compile(variable);
    const items = this.#map(entries);
    return (row, run) => projectedMap(run.graph, subject(row, run), hasAll, items(row, run));
  }

  #labelTest({ operand, labels }: LabelTest): Evaluate {
    const evaluate = this.compile(operand);
    const test = compileLabels(labels, (names) => this.compile(names));
    return (row, run) => test(evaluate(row, run), row, run);
  }

  #call(call: CallExpression): Evaluate {
    if (findAggregate(call.name) !== undefined) {
      if (this.#parts.aggregates !== undefined) return this.#parts.aggregates(call);
      throw new SyntaxFault(
        'InvalidAggregation',
        call.span,
        `${call.name}() aggregates rows, which is not possible here`,
      );
    }
    const found = findFunction(call.name);
    if (found === undefined || call.args === '*') throw unknownFunction(call);
    const { args } = call;
    refusePatterns(call, args);
    refuseArity(call, args.length, found);
    refuseArgument(call.name, args[0], this.#parts.scope);
    const evaluates = args.map((arg) => this.compile(arg));
    const { takesNull = false } = found;
    return (row, run) => {
      const values = evaluates.map((evaluate) => evaluate(row, run));
      if (!takesNull && values.includes(null)) return null;
      const result = found.apply(values, run);
      if (typeof result === 'string' || typeof result === 'object') run.make(sizeOf(result));
      return result;
    };
  }
}

function isLiteral(expression: Expression): expression is LiteralExpression {
  return expression.kind === 'literal';
}

function hasListForm(expression: Expression): boolean {
  for (const part of allParts(expression)) if (isListForm(part)) return true;
  return false;
}

type CommonKind =
  'literal' | 'parameter' | 'variable' | 'property' | 'index' | 'slice' | 'binary' | 'comparison';

function isLogical(operator: BinaryExpression['operator']): boolean {
  return operator === 'and' || operator === 'or' || operator === 'xor';
}

/** A pattern is a condition: only exists() takes one. */
function refusePatterns({ name }: CallExpression, args: readonly Expression[]): void {
  const pattern = args.find((arg) => arg.kind === 'pattern' && arg.pattern.shortest === undefined);
  if (pattern === undefined || name.toLowerCase() === 'exists') return;
  throw new SyntaxFault('UnexpectedSyntax', pattern.span, 'a pattern is a condition, not a value', {
    hint: 'write COUNT { (a)-->(b) }, or [(a)-->(b) | b]',
  });
}

function unknownFunction({ name, span }: CallExpression): SyntaxFault {
  const why = whyNotOffered(name);
  if (why !== undefined)
    return new SyntaxFault('NotSupported', span, `${name}() is not supported`, { hint: why });
  const nearest = nearestFunction(name);
  return new SyntaxFault('UnknownFunction', span, `there is no function ${name}()`, {
    hint: nearest === undefined ? undefined : `did you mean ${nearest}()?`,
  });
}

function refuseArity(
  { name, span }: CallExpression,
  count: number,
  { min, max }: { min: number; max: number },
): void {
  if (count >= min && count <= max) return;
  const expected = min === max ? String(min) : max === Infinity ? `${min} or more` : `${min} to ${max}`;
  throw new SyntaxFault(
    'InvalidNumberOfArguments',
    span,
    `${name}() takes ${expected} arguments, got ${count}`,
  );
}
