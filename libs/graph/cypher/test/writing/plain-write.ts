/** Clauses that write, row by row, over nodes and relationships that are objects in two lists. */
import type {
  Clause,
  Expression,
  ForeachClause,
  LabelExpression,
  MergeClause,
  PathPattern,
  Query,
  RemoveItem,
  SetItem,
} from '../../src/syntax/ast.ts';
import type { PlainEvaluator } from '../reading/plain-expression.ts';
import { plainRows } from '../reading/plain-query.ts';
import {
  type Environment,
  isPlainList,
  isPlainMap,
  type Plain,
  PlainFault,
  PlainLink,
  type PlainMap,
  PlainNode,
  PlainPath,
} from '../reading/plain-value.ts';

export interface WrittenGraph {
  nodes: PlainNode[];
  links: PlainLink[];
}

/** What a statement has changed, each change counted where it is made. */
export class PlainCounters {
  nodes_created = 0;
  nodes_deleted = 0;
  relationships_created = 0;
  relationships_deleted = 0;
  /** A property that is set, though to the value that it has, or that is there and is removed. */
  properties_set = 0;
  labels_added = 0;
  labels_removed = 0;
}

/** The rows of a statement, which changes the graph; faults where it must not be kept. */
export function plainlyWritten(
  graph: WrittenGraph,
  query: Query,
): { readonly rows: readonly Environment[]; readonly counters: PlainCounters } {
  const writer = new PlainWriter(graph);
  const rows = plainRows(graph, query, (clause, input, evaluator) => writer.update(clause, input, evaluator));
  const isDangling = graph.links.some(
    ({ start, end }) => ![start, end].every((each) => graph.nodes.includes(each)),
  );
  if (isDangling) throw new PlainFault('a relationship without its node');
  return { rows, counters: writer.counters };
}

class PlainWriter {
  readonly counters = new PlainCounters();
  readonly #graph: WrittenGraph;
  #created = 0;

  constructor(graph: WrittenGraph) {
    this.#graph = graph;
  }

  update(clause: Clause, rows: readonly Environment[], evaluator: PlainEvaluator): readonly Environment[] {
    switch (clause.kind) {
      case 'create':
        return rows.map((row) =>
          clause.patterns.reduce((made, each) => this.#create(each, made, evaluator), row),
        );
      case 'merge':
        return rows.flatMap((row) => this.#merge(clause, row, evaluator));
      case 'set':
        for (const row of rows) for (const item of clause.items) this.#set(item, row, evaluator);
        return rows;
      case 'remove':
        for (const row of rows) for (const item of clause.items) this.#remove(item, row, evaluator);
        return rows;
      case 'delete':
        for (const row of rows) {
          const targets = clause.targets.map((target) => evaluator.value(target, row));
          for (const target of targets) this.#delete(target, clause.isDetach);
        }
        return rows;
      case 'foreach':
        for (const row of rows) this.#foreach(clause, row, evaluator);
        return rows;
      default:
        throw new Error(`the interpreter has no ${clause.kind}`);
    }
  }

  /** A variable that is known stands for its node. */
  #create({ nodes, links }: PathPattern, row: Environment, evaluator: PlainEvaluator): Environment {
    const made = new Map(row);
    const placed = nodes.map(({ variable, labels, properties }) => {
      const known = variable && made.get(variable.text);
      if (known !== undefined) {
        if (known instanceof PlainNode) return known;
        throw new PlainFault('no node at an end');
      }
      const id = 1_000 + this.#created++;
      const node = new PlainNode(id, namesOf(labels), propertiesOf(properties, row, evaluator));
      this.#graph.nodes.push(node);
      this.counters.nodes_created++;
      this.counters.labels_added += new Set(node.labels).size;
      this.counters.properties_set += node.properties.size;
      if (variable !== undefined) made.set(variable.text, node);
      return node;
    });
    for (const [at, { variable, types, direction, properties }] of links.entries()) {
      const [left, right] = [placed[at], placed[at + 1]];
      if (left === undefined || right === undefined) throw new Error('expected a node at each end');
      const [start, end] = direction === 'in' ? [right, left] : [left, right];
      const [type = ''] = namesOf(types);
      const id = 1_000 + this.#created++;
      const link = new PlainLink(id, [start, type, end], propertiesOf(properties, row, evaluator));
      this.#graph.links.push(link);
      this.counters.relationships_created++;
      this.counters.properties_set += link.properties.size;
      if (variable !== undefined) made.set(variable.text, link);
    }
    return made;
  }

  #merge(
    { pattern, onCreate, onMatch }: MergeClause,
    row: Environment,
    evaluator: PlainEvaluator,
  ): readonly Environment[] {
    for (const { properties } of [...pattern.nodes, ...pattern.links]) {
      const map = properties === undefined ? new Map<string, Plain>() : evaluator.value(properties, row);
      if (!isPlainMap(map) || [...map.values()].includes(null)) throw new PlainFault('null in MERGE');
    }
    for (const { variable } of pattern.nodes) {
      if (variable !== undefined && row.get(variable.text) === null) throw new PlainFault('MERGE of null');
    }
    const found = evaluator.matcher.matches([pattern], undefined, row);
    const rows = found.length > 0 ? found : [this.#create(pattern, row, evaluator)];
    for (const each of rows) {
      for (const item of found.length > 0 ? onMatch : onCreate) this.#set(item, each, evaluator);
    }
    return rows;
  }

  #set(item: SetItem, row: Environment, evaluator: PlainEvaluator): void {
    if (item.kind === 'property') {
      const { subject, key } = targetOf(item.target, row, evaluator);
      const value = evaluator.value(item.value, row);
      if (subject !== null) this.#change(elementOf(subject), [[key, value]]);
      return;
    }
    const subject = row.get(item.variable.text) ?? null;
    if (subject === null) return;
    const element = elementOf(subject);
    if (item.kind === 'labels') {
      if (!(element instanceof PlainNode)) throw new PlainFault('labels of no node');
      const labels = [...new Set([...element.labels, ...item.labels.flatMap(namesOf)])];
      this.counters.labels_added += labels.length - element.labels.length;
      element.labels = labels;
      return;
    }
    const value = evaluator.value(item.value, row);
    const map = value instanceof PlainNode || value instanceof PlainLink ? value.properties : value;
    if (!isPlainMap(map)) throw new PlainFault('no map');
    const entries = [...map];
    const kept = new Set(entries.map(([key]) => key));
    const gone =
      item.kind === 'replace' ? [...element.properties.keys()].filter((key) => !kept.has(key)) : [];
    this.#change(element, [...entries, ...gone.map((key) => [key, null] as const)]);
  }

  #remove(item: RemoveItem, row: Environment, evaluator: PlainEvaluator): void {
    if (item.kind === 'property') {
      const { subject, key } = targetOf(item.target, row, evaluator);
      if (subject !== null) this.#change(elementOf(subject), [[key, null]]);
      return;
    }
    const node = row.get(item.variable.text) ?? null;
    const gone = item.labels.flatMap(namesOf);
    if (!(node instanceof PlainNode)) return;
    const labels = node.labels.filter((label) => !gone.includes(label));
    this.counters.labels_removed += node.labels.length - labels.length;
    node.labels = labels;
  }

  #change(element: PlainNode | PlainLink, entries: readonly (readonly [string, Plain])[]): void {
    const properties = new Map(element.properties);
    for (const [key, value] of entries) {
      if (value !== null || properties.has(key)) this.counters.properties_set++;
      if (value === null) properties.delete(key);
      else properties.set(key, value);
    }
    element.properties = properties;
  }

  #delete(target: Plain, isDetach: boolean): void {
    if (target === null) return;
    const graph = this.#graph;
    if (target instanceof PlainLink) {
      const links = graph.links.filter((each) => each !== target);
      this.counters.relationships_deleted += graph.links.length - links.length;
      graph.links.splice(0, Infinity, ...links);
    } else if (target instanceof PlainNode) {
      if (isDetach) {
        for (const link of graph.links.filter(({ start, end }) => start === target || end === target))
          this.#delete(link, false);
      }
      const nodes = graph.nodes.filter((each) => each !== target);
      this.counters.nodes_deleted += graph.nodes.length - nodes.length;
      graph.nodes.splice(0, Infinity, ...nodes);
    } else if (target instanceof PlainPath) {
      for (const each of [...target.links, ...target.nodes]) this.#delete(each, isDetach);
    } else throw new PlainFault('nothing to delete');
  }

  #foreach({ variable, list, updates }: ForeachClause, row: Environment, evaluator: PlainEvaluator): void {
    const items = evaluator.value(list, row);
    if (items === null) return;
    for (const item of isPlainList(items) ? items : [items]) {
      let rows: readonly Environment[] = [new Map(row).set(variable.text, item)];
      for (const clause of updates) rows = this.update(clause, rows, evaluator);
    }
  }
}

function targetOf(
  target: Extract<SetItem, { kind: 'property' }>['target'],
  row: Environment,
  evaluator: PlainEvaluator,
): { readonly subject: Plain; readonly key: string } {
  const key = target.kind === 'property' ? target.key : evaluator.value(target.index, row);
  if (typeof key !== 'string') throw new PlainFault('no key');
  return { subject: evaluator.value(target.subject, row), key };
}

function elementOf(value: Plain): PlainNode | PlainLink {
  if (value instanceof PlainNode || value instanceof PlainLink) return value;
  throw new PlainFault('no element');
}

function propertiesOf(
  properties: Expression | undefined,
  row: Environment,
  evaluator: PlainEvaluator,
): PlainMap {
  const map = properties === undefined ? new Map<string, Plain>() : evaluator.value(properties, row);
  if (!isPlainMap(map)) throw new PlainFault('no map');
  return new Map([...map].filter(([, value]) => value !== null));
}

function namesOf(labels: LabelExpression | undefined): readonly string[] {
  if (labels === undefined) return [];
  if (labels.kind === 'label') return [labels.name];
  if (labels.kind === 'and') return labels.items.flatMap(namesOf);
  throw new Error(`expected names, got ${labels.kind}`);
}
