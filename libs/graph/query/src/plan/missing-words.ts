/**
 * Words of a query that are missing from the data, each of which alone makes the result empty
 * ([ADR 0240](../../../../../docs/adr/0240-judge-a-rule-without-data-as-nodata.md)).
 *
 * A class, verb, property or key counts if every row needs it: not under a negation, not in an absent part or
 * an optional one without a condition on it, and not as one of several alternatives of which the data has
 * another. If all alternatives are missing, each of them counts. A comparison with a kind that no value of
 * the property has counts like a missing property. Words of a vocabulary do not count as data.
 */
import type { GraphReader } from '#graph/execution';
import { type Filter, type ValueTest, type Warning } from '#graph/model';
import { completed } from '#platform/foundation';
import type { Name } from '../ast/ast.ts';
import type {
  BoundElement,
  BoundEnd,
  BoundExpression,
  BoundHop,
  BoundHopPattern,
  BoundNode,
  BoundQuery,
  FieldOperand,
  GroupValue,
  Grouping,
  RowExpression,
  RowOperand,
  RowValue,
} from '../binder/bound-query.ts';
import { equalsTest, existsTest } from '../value/value-test.ts';
import {
  isRecordField,
  nearestField,
  nearestWord,
  type PlacedWarning,
  typeMismatch,
  unknownWord,
} from './data-warnings.ts';
import {
  hasKind,
  isEquality,
  isNegative,
  literalsOf,
  neededKinds,
  operandsOf,
  type Predicate,
} from './predicate-values.ts';

type Words = readonly PlacedWarning[];
type WrittenName = Pick<Name, 'text' | 'span'>;
const NONE: Words = [];
const CLASS_FIELDS: ReadonlySet<string> = new Set(['class', '_class', '_type', '_labels']);
const VERB_FIELDS: ReadonlySet<string> = new Set(['class', 'verb', '_verb']);

/**
 * The words, each once, in source order; empty if the query may have a result.
 * `mayBeAbsent` holds words that are not reported: classes, properties and keys in their exact spelling,
 * verbs in any case.
 */
export function missingWords(
  { body }: BoundQuery,
  reader: GraphReader,
  mayBeAbsent: readonly string[] = [],
): readonly Warning[] {
  const ends = body.kind === 'path' ? [body.from, body.to] : body.kind === 'blast' ? [body.from] : [];
  const elements = body.kind === 'find' ? body.elements : ends.filter((end) => end.kind === 'node');
  const search = new MissingWordSearch(elements, reader, new Set(mayBeAbsent));
  const needed = elements.flatMap((element) =>
    element.presence === 'required' ? search.neededFor(element) : NONE,
  );
  const paths = body.kind === 'find' ? pathsOf(body.hops) : new Map<number, never>();
  const others =
    body.kind === 'find'
      ? [...search.inRows(body.where, paths), ...search.inGroups(body.grouping, paths)]
      : [...ends.flatMap((end) => search.atEnd(end)), ...search.verbs(body.via.verbs)];
  const byPlace = new Map([...needed, ...others].map((word) => [word.position, word]));
  return Array.from(byPlace.values()).sort((a, b) => a.position - b.position);
}

/** The optional elements without which an optional element is null, itself included, by element. */
type OptionalPaths = ReadonlyMap<number, readonly BoundElement[]>;

function pathsOf(hops: readonly BoundHopPattern[]): OptionalPaths {
  const paths = new Map<number, readonly BoundElement[]>();
  const walk = (patterns: readonly BoundHopPattern[], before: readonly BoundElement[]): void => {
    let path = before;
    for (const pattern of patterns) {
      if (pattern.kind === 'group') {
        walk(pattern.hops, path);
      } else if (pattern.presence === 'optional') {
        path = [...path, pattern, pattern.target];
        for (const { element } of [pattern, pattern.target]) paths.set(element, path);
      }
    }
  };
  walk(hops, []);
  return paths;
}

/** The place of a condition. */
interface Scope<Operand> {
  /** The operand of rows that an operand of the condition is computed from. */
  operandOf(operand: Operand): RowOperand | undefined;
  /** Words without which an element is null. */
  inElement(element: number): Words;
}

/** The scope of WITH, where the tested element always exists. */
const OWN: Scope<RowOperand> = { operandOf: (operand) => operand, inElement: () => NONE };

class MissingWordSearch {
  readonly #elements: ReadonlyMap<number, BoundElement>;
  readonly #reader: GraphReader;
  readonly #mayBeAbsent: ReadonlySet<string>;

  constructor(elements: readonly BoundElement[], reader: GraphReader, mayBeAbsent: ReadonlySet<string>) {
    this.#elements = new Map(elements.map((element) => [element.element, element]));
    this.#reader = reader;
    this.#mayBeAbsent = mayBeAbsent;
  }

  /** Words without which nothing binds the element. */
  neededFor(element: BoundElement): Words {
    if (element.kind === 'hop') return element.repeat?.min === 0 ? NONE : this.verbs(element.verbs);
    const classes = this.#classes(element);
    return classes.length > 0 ? classes : this.#inCondition(element.filter, OWN);
  }

  inRows(where: RowExpression | undefined, paths: OptionalPaths): Words {
    return this.#inCondition(where, { ...OWN, inElement: (element) => this.#inElement(element, paths) });
  }

  /** Counts are never null, so that HAVING on them needs no word. */
  inGroups(grouping: Grouping | undefined, paths: OptionalPaths): Words {
    return this.#inCondition(grouping?.having, {
      operandOf: (operand: GroupValue) => {
        if (operand.kind === 'key') return operandOf(grouping?.keys[operand.index]);
        // What is computed may be there although a part of it is not.
        if (operand.kind !== 'aggregate') return undefined;
        const aggregate = grouping?.aggregates[operand.index];
        if (aggregate === undefined || aggregate.function === 'count') return undefined;
        return aggregate.argument === '*' ? undefined : aggregate.argument;
      },
      inElement: (element) => this.#inElement(element, paths),
    });
  }

  /** A key at one end of a search that no entity has. */
  atEnd(end: BoundEnd): Words {
    const keys = end.kind === 'key' ? [end.text] : neededKeys(end.filter);
    const isMissing = (key: string): boolean =>
      !this.#mayBeAbsent.has(key) &&
      this.#reader.nodeById(key) < 0 &&
      !this.#hasNode(end.kind === 'key' ? '*' : end.names, '_key', equalsTest([key]));
    if (keys.length === 0 || !keys.every(isMissing)) return NONE;
    const message = `nothing has the key ${keys.map((key) => `\`${key}\``).join(', ')}`;
    return [{ code: 'UNKNOWN_KEY', message, position: end.span.start }];
  }

  verbs(verbs: readonly WrittenName[] | '*'): Words {
    const isMissing = ({ text }: WrittenName): boolean =>
      !this.#reader.hasVerb(text) &&
      !this.#mayBeAbsent.has(text) &&
      !this.#mayBeAbsent.has(text.toUpperCase());
    if (verbs === '*' || !verbs.every(isMissing)) return NONE;
    return verbs.map(({ text, span }) =>
      unknownWord('UNKNOWN_VERB', {
        what: `no relationship has the verb \`${text}\``,
        nearest: nearestWord(text, this.#reader.verbs()),
        position: span.start,
      }),
    );
  }

  /** Words without which the condition is never true; with `isNegated`, never false. */
  #inCondition<Operand extends RowOperand | GroupValue>(
    condition: BoundExpression<Operand, Operand> | undefined,
    scope: Scope<Operand>,
    isNegated = false,
  ): Words {
    if (condition === undefined) return NONE;
    switch (condition.kind) {
      case 'and':
      case 'or': {
        const items = condition.items.map((item) => this.#inCondition(item, scope, isNegated));
        return (condition.kind === 'and') === isNegated ? ofAlternatives(items) : items.flat();
      }
      case 'not':
        return this.#inCondition(condition.item, scope, !isNegated);
      case 'same':
        if (condition.negated !== isNegated) return NONE;
        return [condition.left, condition.right].flatMap((element) => scope.inElement(element));
      case 'linked':
        if (isNegated) return NONE;
        return [
          ...this.verbs(condition.verbs),
          ...[condition.left, condition.right].flatMap((element) => scope.inElement(element)),
        ];
      default:
        return isNegative(condition) === isNegated ? this.#inPredicate(condition, scope) : NONE;
    }
  }

  /** Words without which a predicate, taken as positive, is false. */
  #inPredicate<Operand extends RowOperand | GroupValue>(
    predicate: Predicate<Operand>,
    scope: Scope<Operand>,
  ): Words {
    const [left, ...others] = operandsOf(predicate).map((operand) => scope.operandOf(operand));
    const ofOthers = others.flatMap((operand) => this.#inOperand(operand, scope));
    const names = left?.kind === 'field' ? this.#inName(left, predicate) : NONE;
    if (names.length > 0) return [...names, ...ofOthers];
    const words = this.#inOperand(left, scope);
    // An aggregate may have another kind than what it is computed from.
    const isOwn = left?.kind === 'field' && predicate.left.kind === 'field';
    const kinds = isOwn && words.length === 0 ? this.#inKind(left, predicate) : NONE;
    return [...words, ...kinds, ...ofOthers];
  }

  /** Words without which the operand is always null. */
  #inOperand<Operand>(operand: RowOperand | undefined, scope: Scope<Operand>): Words {
    const element = operand && this.#elements.get(operand.element);
    if (operand === undefined || element === undefined) return NONE;
    const words = scope.inElement(operand.element);
    if (words.length > 0 || operand.kind === 'element') return words;
    return element.kind === 'node' ? this.#property(element, operand) : this.#linkProperty(element, operand);
  }

  /** Words without which an element is null: its own and, if it is optional, those on the way to it. */
  #inElement(number: number, paths: OptionalPaths): Words {
    const element = this.#elements.get(number);
    if (element === undefined) return NONE;
    const path = paths.get(number);
    if (path !== undefined) return path.flatMap((each) => this.neededFor(each));
    return element.kind === 'hop' ? this.verbs(element.verbs) : this.#classes(element);
  }

  /** Classes or verbs to which a field of that meaning is compared, all of them missing. */
  #inName<Operand extends RowOperand | GroupValue>(
    { element, field }: FieldOperand,
    predicate: Predicate<Operand>,
  ): Words {
    const ofHop = this.#elements.get(element)?.kind === 'hop';
    if (!isEquality(predicate) || !(ofHop ? VERB_FIELDS : CLASS_FIELDS).has(field)) return NONE;
    const names = literalsOf(predicate)?.map(({ value, span }) => ({ text: String(value), span })) ?? [];
    if (names.length === 0) return NONE;
    return ofHop ? this.verbs(names) : this.#missingNames(names);
  }

  #inKind<Operand extends RowOperand | GroupValue>(
    operand: FieldOperand,
    predicate: Predicate<Operand>,
  ): Words {
    const node = this.#elements.get(operand.element);
    const kinds = neededKinds(predicate);
    const { field } = operand;
    if (node?.kind !== 'node' || kinds === undefined || isRecordField(field) || this.#mayBeAbsent.has(field))
      return NONE;
    if (this.#hasNode(node.names, field, { matches: (value) => hasKind(value, kinds), kinds })) return NONE;
    const held = this.#reader.valueKinds(namesOf(node.names), field);
    return [typeMismatch({ field, held, kinds, position: predicate.span.start })];
  }

  #property(node: BoundNode, { field, span }: FieldOperand): Words {
    if (isRecordField(field) || this.#mayBeAbsent.has(field)) return NONE;
    if (this.#hasNode(node.names, field, existsTest)) return NONE;
    return [
      unknownWord('UNKNOWN_PROPERTY', {
        what: `no entity of that class has \`${field}\``,
        nearest: nearestField(field, this.#reader.propertyNames(namesOf(node.names))),
        position: span.start,
      }),
    ];
  }

  /** Reads relationships until one has the property: there are no statistics of them. */
  #linkProperty({ verbs }: BoundHop, { field, span }: FieldOperand): Words {
    if (isRecordField(field) || VERB_FIELDS.has(field) || this.#mayBeAbsent.has(field)) return NONE;
    const reader = this.#reader;
    const adjacency = reader.adjacency(namesOf(verbs), 'out');
    const buffer = { count: 0, nodes: new Uint32Array(0), links: new Uint32Array(0) };
    for (const node of completed(reader.select({ names: '*' }))) {
      adjacency.read(node, buffer);
      for (let at = 0; at < buffer.count; at++) {
        const value = reader.linkField(buffer.links[at] ?? 0, field);
        if (value !== undefined && value !== null) return NONE;
      }
    }
    const what = `no relationship of that verb has \`${field}\``;
    return [unknownWord('UNKNOWN_PROPERTY', { what, nearest: undefined, position: span.start })];
  }

  #classes({ names }: BoundNode): Words {
    return names === '*' ? NONE : this.#missingNames(names);
  }

  #missingNames(names: readonly WrittenName[]): Words {
    const isMissing = ({ text }: WrittenName): boolean =>
      !this.#reader.hasName(text) && !this.#mayBeAbsent.has(text);
    if (!names.every(isMissing)) return NONE;
    return names.map(({ text, span }) =>
      unknownWord('UNKNOWN_CLASS', {
        what: `no entity has the class or type \`${text}\``,
        nearest: nearestWord(text, this.#reader.names()),
        position: span.start,
      }),
    );
  }

  #hasNode(names: readonly Name[] | '*', field: string, test: ValueTest): boolean {
    const filter: Filter = { kind: 'test', field, test };
    return completed(this.#reader.count({ names: namesOf(names), filter })) > 0;
  }
}

function operandOf(value: RowValue | undefined): RowOperand | undefined {
  return value?.kind === 'field' || value?.kind === 'element' ? value : undefined;
}

function namesOf(names: readonly Name[] | '*'): readonly string[] | '*' {
  return names === '*' ? '*' : names.map(({ text }) => text);
}

/** All of them, if each alternative lacks some. */
function ofAlternatives(alternatives: readonly Words[]): Words {
  return alternatives.every((words) => words.length > 0) ? alternatives.flat() : NONE;
}

/** The keys of which the condition needs one; none if it may hold for other entities. */
function neededKeys(filter: RowExpression | undefined): readonly string[] {
  switch (filter?.kind) {
    case 'and':
      return filter.items.map(neededKeys).find((keys) => keys.length > 0) ?? [];
    case 'in':
    case 'compare':
      return filter.left.field === '_key' && isEquality(filter) && !isNegative(filter) ? textsOf(filter) : [];
    default:
      return [];
  }
}

function textsOf(predicate: Predicate<FieldOperand>): readonly string[] {
  return literalsOf(predicate)?.map(({ value }) => String(value)) ?? [];
}
