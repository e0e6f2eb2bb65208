/**
 * Warnings about a query with respect to the data: derived from statistics before the run, and so
 * deterministic.
 */
import type { GraphReader } from '#graph/execution';
import { fieldOfProperty, type ValueKind, type Warning } from '#graph/model';
import { nearestName } from '#platform/foundation';
import type { Name } from '../ast/ast.ts';
import type {
  BoundElement,
  BoundLinked,
  BoundQuery,
  FieldOperand,
  RowExpression,
} from '../binder/bound-query.ts';
import { fieldOperandsOf } from './field-operands.ts';
import type { KindCheck } from './resolve-expression.ts';

/** The built-in fields of a record, which are never unknown. */
const RECORD_FIELDS: ReadonlySet<string> = new Set(
  ['class', 'display_name', '_key', '_type', '_class', '_labels', '_id', '_source', '_created_at', '_updated_at', '_last_seen_at', '_deleted_at'],
); // prettier-ignore

const COUNT_HINT = ': a count is written COUNT(*), with parentheses';

/** The known classes and verbs; the data may have more. */
export interface Vocabulary {
  hasClass(name: string): boolean;
  hasVerb(verb: string): boolean;
  /** Probable alternatives, for hints. */
  readonly classes?: Iterable<string>;
  readonly verbs?: Iterable<string>;
}

/** Kinds of a field's values, by element and field. */
export type KnownKinds = Map<string, readonly ValueKind[]>;

/** The names of a query, collected once. */
export class QueryNames {
  readonly #elements: ReadonlyMap<number, BoundElement>;
  readonly #classes: readonly Name[];
  readonly #verbs: readonly Name[];
  readonly #properties: readonly FieldOperand[];

  constructor({ body }: BoundQuery) {
    const ends = body.kind === 'path' ? [body.from, body.to] : body.kind === 'blast' ? [body.from] : [];
    const elements = body.kind === 'find' ? body.elements : ends.filter((end) => end.kind === 'node');
    this.#elements = new Map(elements.map((element) => [element.element, element]));
    const all = (names: readonly Name[] | '*'): readonly Name[] => (names === '*' ? [] : names);
    this.#classes = distinctNames(elements.flatMap((item) => (item.kind === 'node' ? all(item.names) : [])));
    const hops = elements.flatMap((item) => (item.kind === 'hop' ? all(item.verbs) : []));
    const others = body.kind === 'find' ? linkedIn(body.where) : [body.via];
    this.#verbs = distinctNames([...hops, ...others.flatMap(({ verbs }) => all(verbs))]);
    this.#properties = fieldOperandsOf(body).filter(({ field }) => !isRecordField(field));
  }

  warnings(reader: GraphReader, vocabulary: Vocabulary): readonly Warning[] {
    return [
      ...this.#classes
        .filter(({ text }) => !vocabulary.hasClass(text) && !reader.hasName(text))
        .map(({ text, span }) =>
          unknownWord('UNKNOWN_CLASS', {
            what: `no class or type \`${text}\` is known`,
            nearest: nearestWord(text, reader.names(), vocabulary.classes),
            position: span.start,
          }),
        ),
      ...this.#verbs
        .filter(({ text }) => !vocabulary.hasVerb(text) && !reader.hasVerb(text))
        .map(({ text, span }) =>
          unknownWord('UNKNOWN_VERB', {
            what: `no verb \`${text}\` is known`,
            nearest: nearestWord(text, reader.verbs(), vocabulary.verbs),
            position: span.start,
          }),
        ),
      ...this.#unknownProperties(reader),
    ];
  }

  /**
   * Warns of comparisons of a field with a value of another kind than its own. The kinds of fields are cached
   * in `known`, which belongs to this state of the data.
   */
  mismatches(reader: GraphReader, checks: readonly KindCheck[], known: KnownKinds): readonly Warning[] {
    const reported = new Set<number>();
    return checks.flatMap(({ element, field, kinds, position, noTime, isComputed }) => {
      if (noTime !== undefined) return [warning('TYPE_MISMATCH', noTimeMessage(field, noTime), position)];
      const held = this.#kindsOf(reader, { element, field }, known);
      if (reported.has(position) || held.every((kind) => kinds.includes(kind))) return [];
      reported.add(position);
      return [typeMismatch({ field, held, kinds, position, ...(isComputed && { isComputed }) })];
    });
  }

  /** Empty for an element without names. */
  #kindsOf(
    reader: GraphReader,
    { element, field }: Pick<KindCheck, 'element' | 'field'>,
    known: KnownKinds,
  ): readonly ValueKind[] {
    const key = `${element} ${field}`;
    let kinds = known.get(key);
    if (kinds === undefined) {
      const names = this.#namesOf(element);
      known.set(key, (kinds = names === undefined ? [] : reader.valueKinds(names, field)));
    }
    return kinds;
  }

  #unknownProperties(reader: GraphReader): readonly Warning[] {
    const seen = new Set<string>();
    return this.#properties.flatMap(({ element, field, span }) => {
      const names = this.#namesOf(element);
      if (names === undefined || seen.has(field)) return [];
      const known = reader.propertyNames(names);
      if (known.includes(field) || (known.length === 0 && !hasAnyName(reader, names))) return [];
      seen.add(field);
      const what = `no entity of that class has \`${field}\`${isCount(field) ? COUNT_HINT : ''}`;
      const nearest = isCount(field) ? undefined : nearestField(field, known, RECORD_FIELDS);
      return [unknownWord('UNKNOWN_PROPERTY', { what, nearest, position: span.start })];
    });
  }

  #namesOf(element: number): readonly string[] | '*' | undefined {
    const item = this.#elements.get(element);
    if (item?.kind !== 'node') return undefined;
    return item.names === '*' ? '*' : item.names.map((name) => name.text);
  }
}

/** The relationships between aliases in WHERE. */
export function linkedIn(expression: RowExpression | undefined): readonly BoundLinked[] {
  switch (expression?.kind) {
    case 'linked':
      return [expression];
    case 'not':
      return linkedIn(expression.item);
    case 'and':
    case 'or':
      return expression.items.flatMap(linkedIn);
    default:
      return [];
  }
}

/** A warning at a position of the query's text. */
export type PlacedWarning = Warning & { readonly position: number };

interface Mismatch {
  readonly field: string;
  /** Kinds of the field's values. */
  readonly held: readonly ValueKind[];
  /** Kinds for which the comparison can be true. */
  readonly kinds: readonly ValueKind[];
  readonly position: number;
  readonly isComputed?: true;
}

export function typeMismatch({ field, held, kinds, position, isComputed }: Mismatch): PlacedWarning {
  const others = held.filter((kind) => !kinds.includes(kind)).sort();
  const place = isComputed ? 'a number is computed of it' : `it is compared with ${kindNames(kinds)}`;
  const message = `\`${field}\` holds ${others.join(', ')} where ${place}`;
  return warning('TYPE_MISMATCH', message, position);
}

/** Whether entities have one of the names; a class without entities has its own warning. */
function hasAnyName(reader: GraphReader, names: readonly string[] | '*'): boolean {
  return names === '*' ? reader.names().length > 0 : names.some((name) => reader.hasName(name));
}

function warning(code: Warning['code'], message: string, position: number): PlacedWarning {
  return { code, message, position };
}

interface UnknownWord {
  readonly what: string;
  readonly nearest: string | undefined;
  readonly position: number;
}

export function unknownWord(code: Warning['code'], { what, nearest, position }: UnknownWord): PlacedWarning {
  if (nearest === undefined) return warning(code, what, position);
  return { ...warning(code, `${what}; did you mean \`${nearest}\`?`, position), nearest };
}

/** A property with the name of a field of the record is written in another way. */
export function nearestField(
  field: string,
  known: readonly string[],
  others?: Iterable<string>,
): string | undefined {
  const written = fieldOfProperty(field);
  return known.includes(written) ? written : nearestWord(field, known, others);
}

/** Names in the data precede names that are only known. */
export function nearestWord(
  name: string,
  data: readonly string[],
  known: Iterable<string> = [],
): string | undefined {
  return nearestName(name, data) ?? nearestName(name, known);
}

function isCount(field: string): boolean {
  return field.toUpperCase() === 'COUNT';
}

function noTimeMessage(field: string, text: string): string {
  const hint = 'write it as 2026-02-01 or 2026-02-01T12:00:00Z';
  return `\`${field}\` is a time, and \`${text}\` is not one by RFC 3339: ${hint}`;
}

function kindNames(kinds: readonly string[]): string {
  const scalars = kinds.filter((kind) => !kind.endsWith('[]'));
  return (scalars.length > 0 ? scalars : kinds).join(', ') || 'null';
}

function distinctNames(names: readonly Name[]): readonly Name[] {
  return [...new Map(names.map((name) => [name.text, name] as const).reverse()).values()].reverse();
}

export function isRecordField(field: string): boolean {
  return RECORD_FIELDS.has(field);
}
