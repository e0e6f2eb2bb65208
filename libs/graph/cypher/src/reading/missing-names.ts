/**
 * Names of a statement that the data does not have, each of which may be why the statement has no rows: a
 * label, a type, a property, or a property without any value of the kind that it is compared with. As in PQL
 * (ADR 0240), except that every name counts that the rows may need: also in OPTIONAL MATCH, and in a count
 * that is compared. A name under a negation does not, nor one of several alternatives of which the data has
 * another.
 */
import type { GraphReader } from '#graph/execution';
import { fieldOfProperty, type FieldValue, type ValueKind, type Warning } from '#graph/model';
import { completed, nearestName } from '#platform/foundation';
import { isRecordField } from '../graph/snapshot-graph.ts';
import { partsOf } from '../expression/parts.ts';
import type {
  BinaryExpression,
  CallExpression,
  Clause,
  ComparisonExpression,
  Expression,
  LabelExpression,
  LinkPattern,
  PathPattern,
  PropertyExpression,
  Query,
  Span,
} from '../syntax/ast.ts';
import { type NamedElement, namedElements } from './named-elements.ts';

type Words = readonly Warning[];
const NONE: Words = [];
/** They are given null, and return something else. */
const OF_NULL: ReadonlySet<string> = new Set(['coalesce', 'exists']);

/** The names, each once, in the order of the text. Names in `mayBeAbsent` are not missing. */
export function missingNames(
  query: Query,
  reader: GraphReader,
  mayBeAbsent: readonly string[],
): readonly Warning[] {
  const search = new MissingNameSearch(namedElements(query), reader, new Set(mayBeAbsent));
  return sorted(search.inQuery(query));
}

/** Of a condition on the columns of the query, also of names without which it is never false. */
export function missingInCondition(
  query: Query,
  condition: Expression,
  { reader, mayBeAbsent }: { readonly reader: GraphReader; readonly mayBeAbsent: readonly string[] },
): readonly Warning[] {
  const search = new MissingNameSearch(namedElements(query), reader, new Set(mayBeAbsent));
  return sorted([...search.inCondition(condition, false), ...search.inCondition(condition, true)]);
}

function sorted(words: Words): Words {
  const byPlace = new Map(words.map((word) => [`${String(word.position)} ${word.code}`, word]));
  return [...byPlace.values()].sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
}

class MissingNameSearch {
  readonly #elements: ReadonlyMap<string, NamedElement>;
  readonly #reader: GraphReader;
  readonly #mayBeAbsent: ReadonlySet<string>;

  constructor(
    elements: ReadonlyMap<string, NamedElement>,
    reader: GraphReader,
    mayBeAbsent: ReadonlySet<string>,
  ) {
    this.#elements = elements;
    this.#reader = reader;
    this.#mayBeAbsent = mayBeAbsent;
  }

  /** The rows of any part of a UNION are rows of the whole, and none of them may be missed. */
  inQuery({ parts }: Query): Words {
    return parts.flat().flatMap((clause) => this.#inClause(clause));
  }

  #inClause(clause: Clause): Words {
    switch (clause.kind) {
      case 'match':
        return [
          ...clause.patterns.flatMap((pattern) => this.#inPath(pattern)),
          ...this.inCondition(clause.where, false),
        ];
      case 'unwind':
        return this.#inValue(clause.list);
      case 'with':
        return [
          ...clause.items.flatMap(({ expression }) => this.#inValue(expression)),
          ...this.inCondition(clause.where, false),
        ];
      case 'subquery':
        return this.inQuery(clause.query);
      default:
        return NONE;
    }
  }

  #inPath({ nodes, links, where: whole }: PathPattern): Words {
    return [
      ...this.inCondition(whole, false),
      ...nodes.flatMap(({ variable, labels, properties, where }) => [
        ...this.#inLabels(labels, false),
        ...this.#inEntries(properties, { kind: 'node', labels: labels ?? this.#labelsOf(variable?.text) }),
        ...this.inCondition(where, false),
      ]),
      ...links.flatMap((link) => this.#inLink(link)),
    ];
  }

  /** What may be passed no time is not needed. */
  #inLink({ types, range, properties, where, group }: LinkPattern): Words {
    if (range?.min === 0) return NONE;
    return [
      ...this.#inTypes(types),
      ...this.#inEntries(properties, { kind: 'link', types }),
      ...this.inCondition(where, false),
      ...(group === undefined ? NONE : this.#inPath(group.path)),
      ...this.inCondition(group?.where, false),
    ];
  }

  /** Names without which the condition is never true; with `isNegated`, never false. */
  inCondition(condition: Expression | undefined, isNegated: boolean): Words {
    if (condition === undefined) return NONE;
    switch (condition.kind) {
      case 'unary':
        if (condition.operator !== 'not') return this.#inValue(condition);
        return this.inCondition(condition.operand, !isNegated);
      case 'binary':
        return this.#inBinary(condition, isNegated);
      case 'null-test':
        return condition.isNegated === isNegated ? NONE : this.#inValue(condition.operand);
      case 'label-test':
        return this.#inLabels(condition.labels, isNegated);
      case 'pattern':
        return isNegated ? NONE : this.#inPath(condition.pattern);
      case 'subquery':
        return isNegated ? NONE : this.inQuery(condition.query);
      case 'quantifier':
        return [
          ...this.#inValue(condition.list),
          ...this.inCondition(condition.where, isNegated !== (condition.quantifier === 'none')),
        ];
      case 'call':
        return condition.name.toLowerCase() === 'exists'
          ? this.#inExists(condition, isNegated)
          : this.#inValue(condition);
      case 'comparison':
        return [...this.#inValue(condition), ...(isNegated ? NONE : this.#inKinds(condition))];
      default:
        return this.#inValue(condition);
    }
  }

  #inExists({ args }: CallExpression, isNegated: boolean): Words {
    return isNegated || args === '*' ? NONE : args.flatMap((argument) => this.#inValue(argument));
  }

  #inBinary(condition: BinaryExpression, isNegated: boolean): Words {
    const { operator } = condition;
    if (operator !== 'and' && operator !== 'or') return this.#inValue(condition);
    const items = chainOf(condition, operator).map((item) => this.inCondition(item, isNegated));
    const isEitherEnough = (operator === 'or') !== isNegated;
    return isEitherEnough && items.some((words) => words.length === 0) ? NONE : items.flat();
  }

  /** Names without which a value is null, or a list of nothing. */
  #inValue(value: Expression): Words {
    switch (value.kind) {
      case 'property':
        return this.#inProperty(value);
      case 'call':
        if (OF_NULL.has(value.name.toLowerCase())) return NONE;
        break;
      case 'case':
        return NONE;
      case 'subquery':
        return this.inQuery(value.query);
      case 'pattern':
        return this.#inPath(value.pattern);
      case 'pattern-comprehension':
        return [...this.#inPath(value.pattern), ...this.inCondition(value.where, false)];
      default:
    }
    const parts = value.kind === 'binary' ? chainOf(value) : partsOf(value);
    return parts.flatMap((part) => this.#inValue(part));
  }

  #inProperty({ subject, key, span }: PropertyExpression): Words {
    if (subject.kind !== 'variable') return this.#inValue(subject);
    const element = this.#elements.get(subject.name);
    return element === undefined ? NONE : this.#inKey(element, { key, span });
  }

  #inEntries(properties: Expression | undefined, element: NamedElement): Words {
    if (properties?.kind !== 'map') return NONE;
    return properties.entries.flatMap(({ key, value }) => [
      ...this.#inKey(element, { key, span: value.span }),
      ...this.#inValue(value),
    ]);
  }

  #inKey(element: NamedElement, { key, span }: { readonly key: string; readonly span: Span }): Words {
    if (this.#mayBeAbsent.has(key) || (element.kind === 'node' && isRecordField(key))) return NONE;
    const isPresent =
      element.kind === 'node' ? this.#hasNodeWith(element, key) : this.#hasLinkWith(element, key);
    if (isPresent) return NONE;
    const known = element.kind === 'node' ? this.#reader.propertyNames(namesOf(element.labels)) : [];
    const what = element.kind === 'node' ? 'no node of that label' : 'no relationship of that type';
    return [missing('UNKNOWN_PROPERTY', `${what} has \`${key}\``, { name: key, known, span })];
  }

  #hasNodeWith(
    { labels }: Extract<NamedElement, { kind: 'node' }>,
    key: string,
    kinds?: readonly ValueKind[],
  ): boolean {
    const matches = (value: FieldValue): boolean =>
      value !== undefined &&
      value !== null &&
      (kinds === undefined || kinds.some((kind) => kind === typeof value));
    const test = kinds === undefined ? { matches } : { matches, kinds };
    const filter = { kind: 'test', field: fieldOfProperty(key), test } as const;
    return completed(this.#reader.count({ names: namesOf(labels), filter })) > 0;
  }

  /** Reads relationships until one has the property: there are no statistics of them. */
  #hasLinkWith({ types }: Extract<NamedElement, { kind: 'link' }>, key: string): boolean {
    const reader = this.#reader;
    const adjacency = reader.adjacency(namesOf(types), 'out');
    const buffer = { count: 0, nodes: new Uint32Array(0), links: new Uint32Array(0) };
    for (const node of completed(reader.select({ names: '*' }))) {
      adjacency.read(node, buffer);
      for (const link of buffer.links.subarray(0, buffer.count)) {
        const value = reader.linkField(link, key);
        if (value !== undefined && value !== null) return true;
      }
    }
    return false;
  }

  /** `n.port > '80'` where every port is a number. */
  #inKinds(comparison: ComparisonExpression): Words {
    const compared = literalComparison(comparison);
    const element = compared && this.#elements.get(compared.variable);
    if (compared === undefined || element?.kind !== 'node') return NONE;
    const { key, kind, span } = compared;
    if (this.#mayBeAbsent.has(key) || isRecordField(key)) return NONE;
    if (!this.#hasNodeWith(element, key) || this.#hasNodeWith(element, key, [kind])) return NONE;
    const held = this.#reader.valueKinds(namesOf(element.labels), key).join(' or ');
    const message = `\`${key}\` is compared with a ${kind}, and has values of kind ${held} only`;
    return [{ code: 'TYPE_MISMATCH', message, position: span.start }];
  }

  #inLabels(labels: LabelExpression | undefined, isNegated: boolean): Words {
    return this.#inNames(labels, isNegated, (name, span) =>
      this.#reader.hasName(name)
        ? NONE
        : [
            missing('UNKNOWN_CLASS', `no node has the label \`${name}\``, {
              name,
              known: this.#reader.names(),
              span,
            }),
          ],
    );
  }

  #inTypes(types: LabelExpression | undefined): Words {
    return this.#inNames(types, false, (name, span) =>
      this.#reader.hasVerb(name)
        ? NONE
        : [
            missing('UNKNOWN_VERB', `no relationship has the type \`${name}\``, {
              name,
              known: this.#reader.verbs(),
              span,
            }),
          ],
    );
  }

  #inNames(
    names: LabelExpression | undefined,
    isNegated: boolean,
    ofName: (name: string, span: Span) => Words,
  ): Words {
    switch (names?.kind) {
      case 'label':
        return isNegated || this.#mayBeAbsent.has(names.name) ? NONE : ofName(names.name, names.span);
      case 'not':
        return this.#inNames(names.item, !isNegated, ofName);
      case 'and':
      case 'or': {
        const items = names.items.map((item) => this.#inNames(item, isNegated, ofName));
        const isEitherEnough = (names.kind === 'or') !== isNegated;
        return isEitherEnough && items.some((words) => words.length === 0) ? NONE : items.flat();
      }
      default:
        return NONE;
    }
  }

  #labelsOf(variable: string | undefined): LabelExpression | undefined {
    const element = variable === undefined ? undefined : this.#elements.get(variable);
    return element?.kind === 'node' ? element.labels : undefined;
  }
}

/**
 * The operands of `a AND b AND c`, which may be as many as a statement has room for, from left to right;
 * without an operator, of a chain of any.
 */
function chainOf(
  expression: BinaryExpression,
  operator?: BinaryExpression['operator'],
): readonly Expression[] {
  const operands: Expression[] = [];
  let first: Expression = expression;
  while (first.kind === 'binary' && (operator ?? first.operator) === first.operator) {
    operands.push(first.right);
    first = first.left;
  }
  return [...operands, first].reverse();
}

/** The names one of which an element has; `'*'` where that is not known. */
function namesOf(names: LabelExpression | undefined): readonly string[] | '*' {
  if (names?.kind === 'label') return [names.name];
  if (names?.kind === 'and') return names.items.map(namesOf).find((each) => each !== '*') ?? '*';
  if (names?.kind !== 'or') return '*';
  const items = names.items.map(namesOf);
  return items.includes('*') ? '*' : items.flatMap((each) => (each === '*' ? [] : each));
}

interface LiteralComparison {
  readonly variable: string;
  readonly key: string;
  readonly kind: ValueKind;
  readonly span: Span;
}

/** A property compared with a literal that only a value of its kind equals, or is ordered with. */
function literalComparison({ first, rest }: ComparisonExpression): LiteralComparison | undefined {
  const [only] = rest;
  if (only === undefined || rest.length > 1 || only.operator === '<>') return undefined;
  const [property, literal] = first.kind === 'property' ? [first, only.operand] : [only.operand, first];
  if (property.kind !== 'property' || property.subject.kind !== 'variable') return undefined;
  const kind = literal.kind === 'literal' ? kindOf(literal.value) : undefined;
  return kind && { variable: property.subject.name, key: property.key, kind, span: property.span };
}

function kindOf(value: string | number | bigint | boolean | null): ValueKind | undefined {
  if (value === null) return undefined;
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value as ValueKind;
  return 'number';
}

function missing(
  code: Warning['code'],
  what: string,
  { name, known, span }: { readonly name: string; readonly known: Iterable<string>; readonly span: Span },
): Warning {
  const nearest = nearestName(name, known);
  const message = nearest === undefined ? what : `${what}: did you mean ${nearest}?`;
  return { code, message, position: span.start, ...(nearest !== undefined && { nearest }) };
}
