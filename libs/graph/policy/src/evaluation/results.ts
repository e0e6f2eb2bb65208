/** The results of a rule's query of any shape: items with an identity, in result order. */
import { hash } from 'node:crypto';
import type { GraphReader } from '#graph/execution';
import { type Cell, LinkCell, NodeCell, type QueryResult } from '#graph/query';
import type { ResultShape } from '../rule/rule-query.ts';
import type { Rule } from '../rule/rule.ts';
import type { RuleViolation, Waiver } from './outcome.ts';

const ID_HEX_LENGTH = 32;

/** Results by number, from 0 up to `count`. */
export interface Results {
  readonly count: number;
  /** Fields of the rule's identity that are absent from all results. */
  readonly unknownIdentity: readonly string[];
  /** Equal for equal results of two runs on one snapshot. */
  tokenOf(index: number): number | string;
  findingId(index: number): string;
  /** A display label. */
  label(index: number): string;
  /** Class of a result's entity; null for a group. */
  class(index: number): string | null;
  /** Id of a result's entity; null for a group. */
  entityId(index: number): string | null;
  violation(index: number, waiver: Waiver | undefined): RuleViolation;
}

export function resultsOf(rule: Rule, shape: ResultShape, reader: GraphReader, result: QueryResult): Results {
  const page = result.page(0, result.count);
  if (shape === 'groups') {
    const keys = (page.groups ?? []).map((group) => group.keys.map((cell) => plainCell(reader, cell)));
    return groupResults(rule, keys);
  }
  const starts =
    shape === 'path' ? Uint32Array.from(page.paths ?? [], ({ nodes }) => nodes[0] ?? 0) : page.entities;
  return entityResults(rule, reader, starts);
}

/** Distinct entities. */
export function entityResults(rule: Rule, reader: GraphReader, nodes: Uint32Array): Results {
  return new EntityResults(rule, reader, nodes);
}

/** Groups by their distinct keys, as JSON. */
export function groupResults({ id }: Rule, keys: readonly (readonly unknown[])[]): Results {
  return new GroupResults(id, keys);
}

class EntityResults implements Results {
  readonly #rule: Rule;
  readonly #reader: GraphReader;
  readonly #nodes: Uint32Array;

  constructor(rule: Rule, reader: GraphReader, nodes: Uint32Array) {
    this.#rule = rule;
    this.#reader = reader;
    this.#nodes = nodes;
  }

  get count(): number {
    return this.#nodes.length;
  }

  get unknownIdentity(): readonly string[] {
    if (this.count === 0) return [];
    return this.#rule.identity.filter((field) =>
      this.#nodes.every((node) => this.#reader.nodeField(node, field) === undefined),
    );
  }

  tokenOf(index: number): number {
    return this.#nodes[index] ?? -1;
  }

  findingId(index: number): string {
    return this.#findingId(this.tokenOf(index));
  }

  label(index: number): string {
    const node = this.tokenOf(index);
    const [type, key, name] = ['_type', '_key', 'display_name'].map((field) => this.#text(node, field));
    return name === key ? `${type} ${key}` : `${type} ${name} (${key})`;
  }

  class(index: number): string {
    return this.#text(this.tokenOf(index), 'class');
  }

  entityId(index: number): string {
    return this.#text(this.tokenOf(index), '_id');
  }

  violation(index: number, waiver: Waiver | undefined): RuleViolation {
    const node = this.tokenOf(index);
    return {
      finding_id: this.#findingId(node),
      entity_id: this.#text(node, '_id'),
      type: this.#text(node, '_type'),
      key: this.#text(node, '_key'),
      class: this.#text(node, 'class'),
      display_name: this.#text(node, 'display_name'),
      ...(waiver && { waived: waiver }),
    };
  }

  #findingId(node: number): string {
    return entityFindingId(this.#rule, (field) => this.#reader.nodeField(node, field));
  }

  #text(node: number, field: string): string {
    return String(this.#reader.nodeField(node, field));
  }
}

class GroupResults implements Results {
  readonly unknownIdentity = [];
  readonly #ruleId: string;
  readonly #keys: readonly (readonly unknown[])[];

  constructor(ruleId: string, keys: readonly (readonly unknown[])[]) {
    this.#ruleId = ruleId;
    this.#keys = keys;
  }

  get count(): number {
    return this.#keys.length;
  }

  tokenOf(index: number): string {
    return JSON.stringify(this.#keys[index]);
  }

  findingId(index: number): string {
    return findingId(this.#ruleId, this.#keys[index] ?? []);
  }

  label(index: number): string {
    return groupLabel(this.#keys[index] ?? []);
  }

  class(): null {
    return null;
  }

  entityId(): null {
    return null;
  }

  violation(index: number, waiver: Waiver | undefined): RuleViolation {
    const keys = this.#keys[index] ?? [];
    return {
      finding_id: this.findingId(index),
      entity_id: null,
      type: null,
      key: null,
      class: null,
      display_name: this.label(index),
      keys,
      ...(waiver && { waived: waiver }),
    };
  }
}

/** The finding id of a rule for the entity with these fields. */
export function entityFindingId({ id, identity }: Rule, fieldOf: (field: string) => unknown): string {
  const values = identity.map((field) => fieldOf(field) ?? null);
  // Entities without any of the fields would otherwise share one finding.
  if (values.every((value) => value === null)) return `${id}:${String(fieldOf('_id'))}`;
  return findingId(id, values);
}

function findingId(ruleId: string, identity: readonly unknown[]): string {
  return `${ruleId}:${hash('sha256', JSON.stringify(identity)).slice(0, ID_HEX_LENGTH)}`;
}

function groupLabel(keys: readonly unknown[]): string {
  return keys.map((key) => (typeof key === 'string' ? key : JSON.stringify(key))).join(',');
}

/** A group's key as JSON; an entity or relationship is represented by its id. */
function plainCell(reader: GraphReader, cell: Cell): unknown {
  if (cell instanceof NodeCell) return reader.nodeField(cell.node, '_id');
  if (cell instanceof LinkCell) return reader.linkField(cell.link, '_id');
  return cell ?? null;
}
