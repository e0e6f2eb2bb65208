/** Tests what a transaction has changed against the constraints. */
import type { Steps } from '#platform/foundation';
import type { NodeClaim } from '../overlay/claims.ts';
import type { NodeChange } from '../overlay/element-change.ts';
import type { TransactionGraph } from '../overlay/transaction-graph.ts';
import { runtimeFault } from '../syntax/fault.ts';
import type { ConstraintRule, SchemaRule } from '../syntax/schema-rule.ts';
import { equal } from '../value/equality.ts';
import type { CypherMap, Value } from '../value/value.ts';

const UNIQUE: ReadonlySet<string> = new Set(['UNIQUENESS', 'NODE_KEY']);
const PRESENT: ReadonlySet<string> = new Set([
  'NODE_PROPERTY_EXISTENCE',
  'NODE_KEY',
  'RELATIONSHIP_PROPERTY_EXISTENCE',
]);

export function constraintsOf(rules: readonly SchemaRule[]): readonly ConstraintRule[] {
  return rules.filter((rule) => rule.kind === 'constraint');
}

/** What the statement has changed is whole. Throws DeleteConnectedNode, and for a constraint. */
export function* endStatement(graph: TransactionGraph, rules: readonly SchemaRule[]): Steps<void> {
  graph.endStatement();
  yield* requireUnique(graph, constraintsOf(rules));
}

/** No two nodes have the same values. */
function* requireUnique(graph: TransactionGraph, rules: readonly ConstraintRule[]): Steps<void> {
  const nodes = graph.takeTouched();
  for (const rule of rules.filter(({ type }) => UNIQUE.has(type))) {
    for (const [node, change] of nodes) {
      const values = keyUnder(rule, change);
      if (values === undefined) continue;
      const equals = [...values].flatMap(([key, value]) =>
        typeof value === 'object' ? [] : [[key, [value]] as const],
      );
      for (const other of yield* graph.scan({ labels: rule.names, equals })) {
        if (other !== node && hasValues(graph, other, values)) throw duplicate(rule, values);
      }
    }
  }
}

/** Requires, at the commit, the properties that must exist. */
export function requirePresent(graph: TransactionGraph, rules: readonly ConstraintRule[]): void {
  for (const rule of rules.filter(({ type }) => PRESENT.has(type))) {
    for (const [, change] of rule.entity === 'NODE' ? graph.nodeChanges : []) {
      if (isUnder(rule, change)) requireAll(rule, change.properties);
    }
    for (const [, change] of rule.entity === 'RELATIONSHIP' ? graph.linkChanges : []) {
      if (!change.isDeleted && rule.names.includes(change.type)) requireAll(rule, change.properties);
    }
  }
}

/** What no other transaction may have written meanwhile. */
export function uniqueClaims(
  graph: TransactionGraph,
  rules: readonly ConstraintRule[],
): readonly NodeClaim[] {
  const unique = rules.filter(({ type }) => UNIQUE.has(type));
  if (unique.length === 0) return [];
  return [...graph.nodeChanges].flatMap(([, change]) =>
    unique.flatMap((rule) => {
      const properties = keyUnder(rule, change);
      return properties === undefined ? [] : [{ labels: rule.names, properties }];
    }),
  );
}

function isUnder({ names }: ConstraintRule, { labels, isDeleted }: NodeChange): boolean {
  return !isDeleted && names.every((name) => labels.has(name));
}

/** The values that must be unique; undefined where the rule says nothing of the node. */
function keyUnder(rule: ConstraintRule, change: NodeChange): CypherMap | undefined {
  if (!isUnder(rule, change)) return undefined;
  const values = new Map<string, Value>();
  for (const property of rule.properties) {
    const value = change.properties.get(property);
    if (value === undefined) return undefined;
    values.set(property, value);
  }
  return values;
}

function hasValues(graph: TransactionGraph, node: number, values: CypherMap): boolean {
  return [...values].every(([key, value]) => equal(graph.nodeProperty(node, key), value) === true);
}

function requireAll({ name, names, properties: required }: ConstraintRule, properties: CypherMap): void {
  const missing = required.find((property) => !properties.has(property));
  if (missing === undefined) return;
  throw violation(`\`${names.join()}\` must have the property \`${missing}\` (constraint \`${name}\`)`);
}

function duplicate({ name, names }: ConstraintRule, values: CypherMap): Error {
  const keys = [...values.keys()].map((key) => `\`${key}\``).join(', ');
  return violation(`there is a \`${names.join()}\` with the same ${keys} already (constraint \`${name}\`)`);
}

function violation(message: string): Error {
  return runtimeFault('ConstraintViolation', 'Neo.ClientError.Schema.ConstraintValidationFailed', message);
}

/** A statement with a row where the data violates the constraint. */
export function violationQuery({ type, entity, names, properties }: ConstraintRule): string {
  const labels = names.map(quoted).join(':');
  const pattern = entity === 'NODE' ? `(n:${labels})` : `()-[n:${labels}]->()`;
  const values = properties.map((property) => `n.${quoted(property)}`);
  const isMissing = values.map((value) => `${value} IS NULL`).join(' OR ');
  if (!UNIQUE.has(type)) return `MATCH ${pattern} WHERE ${isMissing} RETURN 1 AS found LIMIT 1`;
  const keys = values.map((value, index) => `${value} AS v${String(index)}`).join(', ');
  const kept = type === 'NODE_KEY' ? '' : `WHERE NOT (${isMissing})`;
  const missing = values.map((_, index) => `v${String(index)} IS NULL`).join(' OR ');
  return `MATCH ${pattern} ${kept} WITH ${keys}, count(*) AS c WHERE c > 1 OR ${missing} RETURN 1 AS found LIMIT 1`;
}

function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

export function mixedFault(): Error {
  return runtimeFault(
    'NotSupported',
    'Neo.ClientError.Transaction.ForbiddenDueToTransactionType',
    'a transaction changes either the graph, or indexes and constraints',
  );
}

export function violatedFault(name: string): Error {
  return runtimeFault(
    'ConstraintViolation',
    'Neo.ClientError.Schema.ConstraintCreationFailed',
    `the constraint \`${name}\` does not hold for what is in the graph`,
  );
}
