/** What SHOW INDEXES and SHOW CONSTRAINTS list, in the order of their columns. */
import { createHash } from 'node:crypto';
import { createStatementOf, type IndexRule, type SchemaRule } from '../syntax/schema-rule.ts';
import type { Value } from '../value/value.ts';

const PROVIDER = 'plexus-1.0';
/** Constraints that Neo4j gives an index of the same name. */
const OWNING: ReadonlySet<string> = new Set(['UNIQUENESS', 'NODE_KEY']);

/** Every property is indexed: an index is online, and complete, at once. */
export function indexRows(rules: readonly SchemaRule[]): readonly (readonly Value[])[] {
  return rules.flatMap((rule) => {
    if (rule.kind === 'constraint' && !OWNING.has(rule.type)) return [];
    const owner = rule.kind === 'constraint' ? rule.name : null;
    const type: IndexRule['type'] = rule.kind === 'constraint' ? 'RANGE' : rule.type;
    const own = { ...rule, kind: 'index', type } as const;
    return [
      [
        numberOf(rule.name),
        rule.name,
        'ONLINE',
        100,
        type,
        rule.entity,
        rule.names.length === 0 ? null : rule.names,
        rule.properties.length === 0 ? null : rule.properties,
        PROVIDER,
        owner,
        null,
        0n,
        null,
        new Map<string, Value>(),
        '',
        createStatementOf(own),
      ],
    ];
  });
}

export function constraintRows(rules: readonly SchemaRule[]): readonly (readonly Value[])[] {
  return rules.flatMap((rule) => {
    if (rule.kind === 'index') return [];
    const { name, type, entity, names, properties } = rule;
    const index = OWNING.has(type) ? name : null;
    const statement = createStatementOf(rule);
    return [
      [
        numberOf(name),
        name,
        type,
        entity,
        names,
        properties,
        index,
        null,
        new Map<string, Value>(),
        statement,
      ],
    ];
  });
}

/** The same for a name on every process. */
function numberOf(name: string): bigint {
  return BigInt(createHash('sha256').update(name).digest().readUInt32BE());
}
