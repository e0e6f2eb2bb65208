/** CREATE and DROP of indexes and constraints, in today's forms and the older ones with ON and ASSERT. */
import { createHash } from 'node:crypto';
import type { Name, SchemaClause } from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import {
  type ConstraintRule,
  type ConstraintType,
  contentOf,
  INDEX_TYPES,
  type IndexRule,
  type IndexType,
  type SchemaCommand,
  type SchemaRule,
} from '../syntax/schema-rule.ts';
import type { Cursor } from './cursor.ts';

/** Whether a command on an index or a constraint begins here. */
export function isSchemaCommand(cursor: Cursor): boolean {
  if (!cursor.isKeyword('CREATE') && !cursor.isKeyword('DROP')) return false;
  const { keyword } = cursor.peek();
  return (
    keyword === 'INDEX' ||
    keyword === 'CONSTRAINT' ||
    ((INDEX_TYPES.has(keyword) || keyword === 'BTREE') && cursor.isKeyword('INDEX', 2))
  );
}

export function parseSchemaCommand(cursor: Cursor): SchemaClause {
  const start = cursor.token;
  const command = cursor.acceptPhrase('DROP') ? parseDrop(cursor) : parseCreate(cursor);
  return { kind: 'schema', command, span: cursor.spanFrom(start) };
}

function parseCreate(cursor: Cursor): SchemaCommand {
  cursor.expectKeyword('CREATE');
  if (cursor.acceptPhrase('CONSTRAINT')) return parseConstraint(cursor);
  refuseVector(cursor);
  const word = cursor.isKeyword('INDEX') ? 'RANGE' : cursor.advance().keyword;
  cursor.expectKeyword('INDEX');
  return parseIndex(cursor, word === 'BTREE' ? 'RANGE' : (word as IndexType));
}

/** Nothing would search it: an index that is only a name would be taken for one that works. */
function refuseVector(cursor: Cursor): void {
  if (!cursor.isKeyword('VECTOR')) return;
  throw new SyntaxFault('NotSupported', cursor.token, 'vector indexes are not supported', {
    hint: 'a list of numbers can be stored as a property, but not searched by similarity',
  });
}

function parseIndex(cursor: Cursor, type: IndexType): SchemaCommand {
  if (cursor.isKeyword('ON') && cursor.isSymbol(':', 1)) return parseOldIndex(cursor);
  const { name, isTolerant } = parseNameAndTolerance(cursor);
  cursor.expectKeyword('FOR');
  const { variable, entity, names } = parseSubject(cursor, type === 'LOOKUP');
  cursor.expectKeyword('ON');
  const properties = type === 'LOOKUP' ? parseLookup(cursor) : parseProperties(cursor, variable);
  skipOptions(cursor);
  const rule: IndexRule = { kind: 'index', type, name: '', entity, names, properties };
  return { action: 'create', rule: named(rule, name), isTolerant };
}

/** `CREATE INDEX ON :Label(a, b)` */
function parseOldIndex(cursor: Cursor): SchemaCommand {
  cursor.expectKeyword('ON');
  cursor.expectSymbol(':');
  const names = [cursor.expectName('a label').text];
  cursor.expectSymbol('(');
  const properties = cursor.list(() => cursor.expectName('a property').text);
  cursor.expectSymbol(')');
  const rule: IndexRule = { kind: 'index', type: 'RANGE', name: '', entity: 'NODE', names, properties };
  return { action: 'create', rule: named(rule, undefined), isTolerant: false };
}

function parseConstraint(cursor: Cursor): SchemaCommand {
  const { name, isTolerant } = parseNameAndTolerance(cursor);
  if (!cursor.acceptPhrase('ON')) cursor.expectKeyword('FOR');
  const { variable, entity, names } = parseSubject(cursor, false);
  if (!cursor.acceptPhrase('ASSERT')) cursor.expectKeyword('REQUIRE');
  const properties = parseProperties(cursor, variable);
  const type = parseRequirement(cursor, entity);
  skipOptions(cursor);
  const rule: ConstraintRule = { kind: 'constraint', type, name: '', entity, names, properties };
  return { action: 'create', rule: named(rule, name), isTolerant };
}

function parseRequirement(cursor: Cursor, entity: SchemaRule['entity']): ConstraintType {
  const isNode = entity === 'NODE';
  cursor.expectKeyword('IS');
  const isOwnWord =
    cursor.acceptPhrase(isNode ? 'NODE' : 'RELATIONSHIP') || (!isNode && cursor.acceptPhrase('REL'));
  if (cursor.acceptPhrase('KEY')) return isNode ? 'NODE_KEY' : 'RELATIONSHIP_KEY';
  if (cursor.acceptPhrase('UNIQUE')) return isNode ? 'UNIQUENESS' : 'RELATIONSHIP_UNIQUENESS';
  if (!isOwnWord && cursor.acceptPhrase('NOT', 'NULL')) {
    return isNode ? 'NODE_PROPERTY_EXISTENCE' : 'RELATIONSHIP_PROPERTY_EXISTENCE';
  }
  throw cursor.fault('UNIQUE, KEY or NOT NULL: constraints of types are not supported');
}

function parseDrop(cursor: Cursor): SchemaCommand {
  const kind = cursor.acceptPhrase('CONSTRAINT') ? 'constraint' : 'index';
  if (kind === 'index') cursor.expectKeyword('INDEX');
  const { text: name } = cursor.expectName(`the name of the ${kind}`);
  return { action: 'drop', kind, name, isTolerant: cursor.acceptPhrase('IF', 'EXISTS') };
}

function parseNameAndTolerance(cursor: Cursor): {
  readonly name: string | undefined;
  readonly isTolerant: boolean;
} {
  const isUnnamed = ['IF', 'FOR', 'ON'].some((word) => cursor.isKeyword(word));
  const name = isUnnamed ? undefined : cursor.expectName('a name, or FOR').text;
  return { name, isTolerant: cursor.acceptPhrase('IF', 'NOT', 'EXISTS') };
}

interface Subject {
  readonly variable: Name;
  readonly entity: SchemaRule['entity'];
  readonly names: readonly string[];
}

/** `(n:Label)`, or `()-[r:TYPE]-()` with or without a direction. */
function parseSubject(cursor: Cursor, isLookup: boolean): Subject {
  cursor.expectSymbol('(');
  if (!cursor.acceptSymbol(')')) {
    const subject = parseNamed(cursor, 'NODE', isLookup);
    cursor.expectSymbol(')');
    return subject;
  }
  cursor.acceptSymbol('<');
  for (const symbol of ['-', '[']) cursor.expectSymbol(symbol);
  const subject = parseNamed(cursor, 'RELATIONSHIP', isLookup);
  for (const symbol of [']', '-']) cursor.expectSymbol(symbol);
  cursor.acceptSymbol('>');
  for (const symbol of ['(', ')']) cursor.expectSymbol(symbol);
  return subject;
}

function parseNamed(cursor: Cursor, entity: SchemaRule['entity'], isLookup: boolean): Subject {
  const variable = cursor.expectName('a variable');
  if (isLookup) return { variable, entity, names: [] };
  cursor.expectSymbol(':');
  const names = [cursor.expectName('a label or type').text];
  while (cursor.acceptSymbol('|')) names.push(cursor.expectName('a label or type').text);
  return { variable, entity, names };
}

/** `n.a`, `(n.a, n.b)` or `EACH [n.a, n.b]` */
function parseProperties(cursor: Cursor, variable: Name): readonly string[] {
  const [opening, closing] = cursor.acceptPhrase('EACH') ? ['[', ']'] : ['(', ')'];
  if (!cursor.acceptSymbol(opening)) return [parseProperty(cursor, variable)];
  const properties = cursor.list(() => parseProperty(cursor, variable));
  cursor.expectSymbol(closing);
  return properties;
}

function parseProperty(cursor: Cursor, { text }: Name): string {
  const owner = cursor.expectName('a variable');
  if (owner.text !== text) {
    throw new SyntaxFault('UndefinedVariable', owner.span, `expected the variable \`${text}\``);
  }
  cursor.expectSymbol('.');
  return cursor.expectName('a property').text;
}

/** `EACH labels(n)`, `EACH type(r)` */
function parseLookup(cursor: Cursor): readonly string[] {
  cursor.expectKeyword('EACH');
  cursor.expectName('labels or type');
  cursor.expectSymbol('(');
  cursor.expectName('a variable');
  cursor.expectSymbol(')');
  return [];
}

/** Skips options, which are those of another engine. */
function skipOptions(cursor: Cursor): void {
  if (cursor.acceptPhrase('OPTIONS')) cursor.expression();
}

function named<T extends SchemaRule>(rule: T, name: string | undefined): T {
  const hash = createHash('sha256').update(contentOf(rule)).digest('hex').slice(0, 8);
  return { ...rule, name: name ?? `${rule.kind}_${hash}` };
}
