/** Indexes and constraints, as statements name them and as the catalogue keeps them. */
export type IndexType = 'RANGE' | 'TEXT' | 'POINT' | 'FULLTEXT' | 'LOOKUP' | 'VECTOR';

export const INDEX_TYPES: ReadonlySet<string> = new Set<IndexType>([
  'RANGE',
  'TEXT',
  'POINT',
  'FULLTEXT',
  'LOOKUP',
  'VECTOR',
]);

export type ConstraintType =
  | 'UNIQUENESS'
  | 'NODE_KEY'
  | 'NODE_PROPERTY_EXISTENCE'
  | 'RELATIONSHIP_UNIQUENESS'
  | 'RELATIONSHIP_KEY'
  | 'RELATIONSHIP_PROPERTY_EXISTENCE';

interface Rule {
  readonly name: string;
  readonly entity: 'NODE' | 'RELATIONSHIP';
  /** Labels of nodes or types of relationships; none of a lookup index. */
  readonly names: readonly string[];
  readonly properties: readonly string[];
}

export interface IndexRule extends Rule {
  readonly kind: 'index';
  readonly type: IndexType;
}

export interface ConstraintRule extends Rule {
  readonly kind: 'constraint';
  readonly type: ConstraintType;
}

export type SchemaRule = IndexRule | ConstraintRule;

/** `isTolerant`: IF NOT EXISTS and IF EXISTS. */
export type SchemaCommand =
  | { readonly action: 'create'; readonly rule: SchemaRule; readonly isTolerant: boolean }
  | {
      readonly action: 'drop';
      readonly kind: SchemaRule['kind'];
      readonly name: string;
      readonly isTolerant: boolean;
    };

/** Whether two rules say the same, under whatever names. */
export function isEquivalent(a: SchemaRule, b: SchemaRule): boolean {
  return contentOf(a) === contentOf(b);
}

export function contentOf({ kind, type, entity, names, properties }: SchemaRule): string {
  return JSON.stringify([kind, type, entity, names, properties]);
}

/** The statement that makes a rule. */
export function createStatementOf(rule: SchemaRule): string {
  const { name, entity, names, properties } = rule;
  const labels = names.map(quoted).join('|');
  const pattern = entity === 'NODE' ? `(n:${labels})` : `()-[n:${labels}]-()`;
  const list = properties.map((property) => `n.${quoted(property)}`).join(', ');
  if (rule.kind === 'constraint') {
    return `CREATE CONSTRAINT ${quoted(name)} FOR ${pattern} REQUIRE (${list}) ${REQUIREMENTS[rule.type]}`;
  }
  const each = rule.type === 'FULLTEXT' ? `EACH [${list}]` : `(${list})`;
  return `CREATE ${rule.type} INDEX ${quoted(name)} FOR ${pattern} ON ${each}`;
}

const REQUIREMENTS: Readonly<Record<ConstraintType, string>> = {
  UNIQUENESS: 'IS UNIQUE',
  NODE_KEY: 'IS NODE KEY',
  NODE_PROPERTY_EXISTENCE: 'IS NOT NULL',
  RELATIONSHIP_UNIQUENESS: 'IS UNIQUE',
  RELATIONSHIP_KEY: 'IS RELATIONSHIP KEY',
  RELATIONSHIP_PROPERTY_EXISTENCE: 'IS NOT NULL',
};

function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}
