/** Labels, types and properties of a statement that the data does not have: mostly slips. */
import { DataState, type GraphReader } from '#graph/execution';
import type { Warning } from '#graph/model';
import { nearestName } from '#platform/foundation';
import type {
  Expression,
  LabelExpression,
  LabelTest,
  PathPattern,
  PropertyExpression,
  Query,
  Span,
} from '../syntax/ast.ts';
import type { Notification } from './transaction.port.ts';

interface Place {
  readonly name: string;
  readonly span: Span;
  /** The variable whose label or property it is; undefined in a pattern, where it is a node's. */
  readonly of: string | undefined;
}

/** Clauses that make the names they use. */
const UPDATES: ReadonlySet<unknown> = new Set(['create', 'merge', 'set', 'remove', 'delete', 'foreach']);
/** Fields of the record, which every node has. */
const RECORD_FIELD = /^_|^(?:class|display_name)$/;

/** The names of a statement, collected once. */
export class StatementNames {
  readonly #labels: Place[] = [];
  readonly #types: Place[] = [];
  readonly #properties: Place[] = [];
  readonly #nodes = new Set<string>();
  /** Of the state of the data that was asked last. */
  #last: { readonly state: DataState; readonly found: readonly Notification[] } | undefined;

  constructor(query: Query) {
    const waiting: unknown[] = [query];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (typeof next !== 'object' || next === null) continue;
      if ('kind' in next && UPDATES.has(next.kind)) continue;
      if (isPath(next)) this.#addPath(next);
      else if (isProperty(next)) this.#addProperty(next);
      else if (isLabelTest(next)) this.#addLabels(next.labels, nameOf(next.operand) ?? '');
      for (const part of Object.values(next) as readonly unknown[])
        if (part !== undefined) waiting.push(part);
    }
  }

  /** Of names that no node, relationship or property of the snapshot has. */
  notifications(reader: GraphReader): readonly Notification[] {
    if (this.#last?.state.isOf(reader) !== true)
      this.#last = { state: new DataState(reader), found: this.missing(reader) };
    return this.#last.found;
  }

  /** The same for any data, without names that are known anyway; properties of nodes with one of `names`. */
  missing(
    reader: GraphReader,
    isKnown: (name: string) => boolean = () => false,
    names: readonly string[] | '*' = '*',
  ): readonly Notification[] {
    const isOfNode = ({ name, of }: Place): boolean =>
      !isKnown(name) && (of === undefined || this.#nodes.has(of));
    const labels = once(this.#labels).filter((place) => isOfNode(place) && !reader.hasName(place.name));
    const types = once(this.#types).filter(({ name }) => !isKnown(name) && !reader.hasVerb(name));
    const properties = once(this.#properties).filter(
      (place) => isOfNode(place) && !RECORD_FIELD.test(place.name),
    );
    const known = new Set(properties.length === 0 ? [] : reader.propertyNames(names));
    return [
      ...labels.slice(0, WARNINGS_MAX).map((place) => notificationOf('label', place, reader.names())),
      ...types.slice(0, WARNINGS_MAX).map((place) => notificationOf('type', place, reader.verbs())),
      ...properties
        .filter(({ name }) => !known.has(name))
        .slice(0, WARNINGS_MAX)
        .map((place) => notificationOf('property', place, known)),
    ];
  }

  #addPath({ nodes, links }: PathPattern): void {
    for (const { variable, labels, properties } of nodes) {
      if (variable !== undefined) this.#nodes.add(variable.text);
      if (labels !== undefined) this.#addLabels(labels, undefined);
      for (const { key, value } of properties?.kind === 'map' ? properties.entries : []) {
        this.#properties.push({ name: key, span: value.span, of: undefined });
      }
    }
    for (const { types } of links) {
      if (types !== undefined) for (const place of placesOf(types, undefined)) this.#types.push(place);
    }
  }

  #addLabels(labels: LabelExpression, of: string | undefined): void {
    for (const place of placesOf(labels, of)) this.#labels.push(place);
  }

  #addProperty({ subject, key, span }: PropertyExpression): void {
    const of = nameOf(subject);
    if (of !== undefined) this.#properties.push({ name: key, span, of });
  }
}

function isPath(part: object): part is PathPattern {
  return 'nodes' in part && 'links' in part;
}

function isProperty(part: object): part is PropertyExpression {
  return 'kind' in part && part.kind === 'property' && 'key' in part;
}

function isLabelTest(part: object): part is LabelTest {
  return 'kind' in part && part.kind === 'label-test';
}

function nameOf(expression: Expression): string | undefined {
  return expression.kind === 'variable' ? expression.name : undefined;
}

function placesOf(labels: LabelExpression, of: string | undefined): readonly Place[] {
  if (labels.kind === 'label') return [{ name: labels.name, span: labels.span, of }];
  if (labels.kind === 'any' || labels.kind === 'dynamic') return [];
  return (labels.kind === 'not' ? [labels.item] : labels.items).flatMap((item) => placesOf(item, of));
}

/** Each name at its first place. */
function once(places: readonly Place[]): readonly Place[] {
  const first = new Map<string, Place>();
  for (const place of places.toSorted((a, b) => a.span.start - b.span.start)) {
    if (!first.has(place.name)) first.set(place.name, place);
  }
  return [...first.values()];
}

/** Warnings of one kind: a statement may have as many names as it has room for. */
const WARNINGS_MAX = 20;

const KINDS = {
  label: { code: 'UNKNOWN_CLASS', neo4j: 'UnknownLabelWarning', what: 'label' },
  type: { code: 'UNKNOWN_VERB', neo4j: 'UnknownRelationshipTypeWarning', what: 'type of relationship' },
  property: { code: 'UNKNOWN_PROPERTY', neo4j: 'UnknownPropertyKeyWarning', what: 'property' },
} as const;

function notificationOf(
  kind: keyof typeof KINDS,
  { name, span }: Place,
  known: Iterable<string>,
): Notification {
  const { code, neo4j, what } = KINDS[kind];
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? '' : `: did you mean ${nearest}?`;
  const message = `no ${what} \`${name}\` is known${hint}`;
  const warning: Warning = { code, message, position: span.start, ...(nearest !== undefined && { nearest }) };
  return {
    code: `Neo.ClientNotification.Statement.${neo4j}`,
    title: `The ${what} does not exist.`,
    description: message,
    severity: 'WARNING',
    warning,
  };
}
