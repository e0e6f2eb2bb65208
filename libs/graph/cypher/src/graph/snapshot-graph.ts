/** A snapshot of the store as Cypher sees it: types, classes and labels are labels, verbs are types. */
import { emptyBuffer, type GraphReader } from '#graph/execution';
import {
  type Adjacency,
  type EntityInput,
  fieldOfProperty,
  type FieldValue,
  type Filter,
  type LinkBuffer,
  type Scalar,
  type Selection,
  UNLABELLED,
  type ValueTest,
} from '#graph/model';
import { completed, isOneOf, type Steps } from '#platform/foundation';
import type { LinkDirection } from '../syntax/ast.ts';
import type { CypherMap, Value } from '../value/value.ts';
import { valueOf, valuesOf } from './stored-kinds.ts';
import type {
  Expansion,
  LinkIdentity,
  NodeIdentity,
  NodeSelection,
  StoredGraph,
} from './property-graph.port.ts';

/** Fields of the record itself, which are readable but are no properties. */
const RECORD_FIELDS: ReadonlyMap<string, string> = new Map([
  ['_key', '_key'],
  ['_type', '_type'],
  ['_class', '_class'],
  ['_id', '_id'],
  ['_source', '_source'],
  ['_display_name', 'display_name'],
  ['_created_at', '_created_at'],
  ['_updated_at', '_updated_at'],
  ['_last_seen_at', '_last_seen_at'],
]);

/** Whether a node has this as a field of its record where no property hides it. */
export function isRecordField(key: string): boolean {
  return RECORD_FIELDS.has(key);
}

export class SnapshotGraph implements StoredGraph {
  readonly #reader: GraphReader;
  /** These are made when they are needed: most statements search the snapshot itself. */
  #adjacencies: Map<string, Adjacencies> | undefined;
  /** Of lists of several types: one that a row has made goes with it. */
  readonly #ofLists = new WeakMap<readonly string[], Adjacencies>();
  #labelTests: Map<string, (node: number) => boolean> | undefined;
  #buffer: LinkBuffer | undefined;
  #hasHiddenType: boolean | undefined;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  get snapshot(): GraphReader {
    return this.#reader;
  }

  #hidesTypes(): boolean {
    this.#hasHiddenType ??= hidesTypes(this.#reader);
    return this.#hasHiddenType;
  }

  estimate(selection: NodeSelection): number {
    const filter = this.#filterOf(selection);
    const { labels } = selection;
    return Math.min(...selectionsOf(labels).map((each) => this.#reader.estimate(withFilter(each, filter))));
  }

  #filterOf({ equals, filter }: NodeSelection): Filter | undefined {
    const further = filter?.(this.#reader);
    const items = equals.flatMap(([key, values]) => this.#testOf(key, values) ?? []);
    if (further !== undefined) items.push(further);
    return items.length > 1 ? { kind: 'and', items } : items[0];
  }

  /** Undefined where an index could not answer exactly: the caller tests each node anyway. */
  #testOf(key: string, values: readonly Value[]): Filter | undefined {
    const equals = values.map(scalarOf);
    if (!equals.every((scalar) => scalar !== undefined)) return undefined;
    const own: Filter = { kind: 'test', field: fieldOfProperty(key), test: equalityOf(equals) };
    const field = RECORD_FIELDS.get(key);
    if (field === undefined) return own;
    const recorded: Filter = { kind: 'test', field, test: equalityOf(equals) };
    // A property of this name hides the field.
    const isHidden = this.#reader.valueKinds('*', own.field).length > 0;
    return isHidden ? { kind: 'or', items: [recorded, own] } : recorded;
  }

  *scan(selection: NodeSelection): Steps<Iterable<number>> {
    const { labels } = selection;
    const [first = ALL, ...rest] = selectionsOf(labels).sort(
      (a, b) => this.#reader.estimate(a) - this.#reader.estimate(b),
    );
    const nodes = yield* this.#reader.select(withFilter(first, this.#filterOf(selection)));
    if (rest.length === 0 && (labels.length === 0 || !this.#hidesTypes())) return nodes;
    const tests = labels.map((label) => this.#labelTest(label));
    return nodes.filter((node) => tests.every((test) => test(node)));
  }

  expand(node: number, direction: LinkDirection, types: readonly string[] | '*'): Expansion {
    const buffer = (this.#buffer ??= emptyBuffer());
    this.#adjacency(direction, types).read(node, buffer);
    const links: number[] = [];
    const nodes: number[] = [];
    for (let index = 0; index < buffer.count; index++) {
      const link = buffer.links[index] ?? 0;
      // The reader compares verbs without case.
      if (types !== '*' && !isOneOf(types, this.#reader.linkVerb(link))) continue;
      links.push(link);
      nodes.push(buffer.nodes[index] ?? 0);
    }
    return { links, nodes };
  }

  degree(node: number, direction: LinkDirection, types: readonly string[] | '*'): number {
    return this.#adjacency(direction, types).estimate(Uint32Array.of(node));
  }

  labels(node: number): readonly string[] {
    const reader = this.#reader;
    return labelsOf({
      type: String(reader.nodeField(node, '_type')),
      class: String(reader.nodeField(node, '_class')),
      labels: textsIn(reader.nodeField(node, '_labels')),
    });
  }

  hasLabel(node: number, label: string): boolean {
    return this.#labelTest(label)(node);
  }

  nodeProperty(node: number, key: string): Value {
    const stored = this.#reader.nodeField(node, fieldOfProperty(key));
    if (stored !== undefined) return valueOf(stored, this.#reader.nodeKind(node, key));
    const field = RECORD_FIELDS.get(key);
    return field === undefined ? null : valueOf(this.#reader.nodeField(node, field), undefined);
  }

  nodeProperties(node: number): CypherMap {
    return valuesOf(this.#reader.entity(node).properties, this.#reader.nodeKinds(node));
  }

  nodeElementId(node: number): string {
    return String(this.#reader.nodeField(node, '_id'));
  }

  type(link: number): string {
    return this.#reader.linkVerb(link);
  }

  start(link: number): number {
    return this.#reader.linkFrom(link);
  }

  end(link: number): number {
    return this.#reader.linkTo(link);
  }

  linkProperty(link: number, key: string): Value {
    return this.linkProperties(link).get(key) ?? null;
  }

  linkProperties(link: number): CypherMap {
    return valuesOf(this.#reader.relationship(link).properties, this.#reader.linkKinds(link));
  }

  linkElementId(link: number): string {
    return String(this.#reader.linkField(link, '_id'));
  }

  nodeIdentity(node: number): NodeIdentity {
    const field = (name: string): string => String(this.#reader.nodeField(node, name));
    return { type: field('_type'), key: field('_key'), class: field('_class') };
  }

  linkIdentity(link: number): LinkIdentity {
    const key = this.#reader.linkField(link, '_key');
    return {
      from: this.nodeIdentity(this.start(link)),
      to: this.nodeIdentity(this.end(link)),
      key: typeof key === 'string' ? key : undefined,
    };
  }

  hasNode(elementId: string): boolean {
    return this.#reader.nodeById(elementId) >= 0;
  }

  hasLink(elementId: string): boolean {
    return this.#reader.linkById(elementId) >= 0;
  }

  #labelTest(label: string): (node: number) => boolean {
    const tests = (this.#labelTests ??= new Map<string, (node: number) => boolean>());
    const known = tests.get(label);
    if (known !== undefined) return known;
    const isNamed = this.#reader.matcher(selectionOf(label));
    const test = this.#hidesTypes()
      ? (node: number): boolean => isNamed(node) && this.labels(node).includes(label)
      : isNamed;
    tests.set(label, test);
    return test;
  }

  #adjacency(direction: LinkDirection, types: readonly string[] | '*'): Adjacency {
    const known = this.#adjacenciesOf(types);
    return (known[direction] ??= this.#reader.adjacency(types, direction));
  }

  #adjacenciesOf(types: readonly string[] | '*'): Adjacencies {
    if (types !== '*' && types.length !== 1) return kept(this.#ofLists, types);
    return kept(
      (this.#adjacencies ??= new Map<string, Adjacencies>()),
      types === '*' ? types : `:${types[0] ?? ''}`,
    );
  }
}

function kept<Key>(
  all: { get(key: Key): Adjacencies | undefined; set(key: Key, value: Adjacencies): unknown },
  key: Key,
): Adjacencies {
  const known = all.get(key) ?? {};
  all.set(key, known);
  return known;
}

/** Of some types. */
type Adjacencies = Partial<Record<LinkDirection, Adjacency>>;

const ALL: Selection = { names: '*' };

/** What Cypher shows of the names of an entity, each once. */
export function labelsOf(entity: Pick<EntityInput, 'type' | 'class' | 'labels'>): readonly string[] {
  const { type, class: className, labels = [] } = entity;
  const isHidden = labels.includes(UNLABELLED);
  const names = [
    ...(isHidden ? [] : [type]),
    ...(isHidden && className === type ? [] : [className]),
    ...labels,
  ];
  return [...new Set(names)].filter((name) => name !== UNLABELLED);
}

/** The nodes whose type is no label of them. */
const HIDING: Selection = {
  names: [UNLABELLED],
  filter: {
    kind: 'test',
    field: '_labels',
    test: { matches: (value) => textsIn(value).includes(UNLABELLED), equals: [UNLABELLED] },
  },
};

/** Whether the type of some node is no label of it. */
export function hidesTypes(reader: GraphReader): boolean {
  if (reader.estimate({ names: HIDING.names }) === 0) return false;
  return completed(reader.select(HIDING)).length > 0;
}

function selectionsOf(labels: readonly string[]): Selection[] {
  return labels.length === 0 ? [ALL] : labels.map(selectionOf);
}

function selectionOf(label: string): Selection {
  return { names: label === UNLABELLED ? [] : [label] };
}

function textsIn(value: FieldValue): readonly string[] {
  return Array.isArray(value) ? value.filter(isText) : [];
}

function isText(value: FieldValue): value is string {
  return typeof value === 'string';
}

function withFilter(selection: Selection, filter: Filter | undefined): Selection {
  return filter === undefined ? selection : { ...selection, filter };
}

/** Of one of the values, or of a list that contains one. */
function equalityOf(equals: readonly Scalar[]): ValueTest {
  const wanted = new Set<FieldValue>(equals);
  const isWanted = (value: FieldValue): boolean => wanted.has(value);
  const matches = (own: FieldValue): boolean => (Array.isArray(own) ? own.some(isWanted) : isWanted(own));
  return { matches, equals };
}

/** Undefined for a number that the store may keep as text. */
function scalarOf(value: Value): Scalar | undefined {
  if (typeof value === 'object') return undefined;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  // -0 is 0 to an index.
  const number = Number(value) + 0;
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined;
}

/** Converts the JSON of a parameter to a value. */
export function valueOfJson(json: unknown): Value {
  if (json === undefined || json === null) return null;
  if (typeof json === 'number') return Number.isInteger(json) && !Object.is(json, -0) ? BigInt(json) : json;
  if (typeof json === 'string' || typeof json === 'boolean' || typeof json === 'bigint') return json;
  if (Array.isArray(json)) return json.map(valueOfJson);
  return new Map(Object.entries(json).map(([key, value]) => [key, valueOfJson(value)]));
}
