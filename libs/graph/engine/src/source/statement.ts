/**
 * The statements of sources on one record, and their union, which is the record's content. A statement is a
 * flat map of fields: properties by name; for an entity also `class`, `display_name` and `_labels`, for a
 * relationship `_verb`, which are reserved names. The rules are the same for all fields:
 *
 * - if two sources state a field, the higher priority wins, then the later value;
 * - the time of a value is the start of its source's statement: repeating it does not renew it;
 * - null hides no other value: it is visible only if no source states another one;
 * - an override wins over all of them, and one of null leaves no field.
 */
import { createProperties, defaultClass, type EntityInput, type RelationshipInput } from '#graph/model';
import { CLASS_BIT, connectorsOf, NAME_BIT, spelledOutIn } from './owner-marks.ts';
import { entityFields, relationshipFields, type StatedFields } from './record-fields.ts';

export interface Statement {
  readonly connectorId: string;
  /** The request that last changed the statement, and its time. */
  readonly syncId: string;
  readonly sinceMs: number;
  /** Orders statements of equal time: the sequence number of the change. */
  readonly order: number;
  readonly fields: StatedFields;
  /** Order of the fields stated before the last change; other fields have the statement's order. */
  readonly earlier: Readonly<Record<string, number>>;
  /** Fields that hide those of other sources; null hides them without a value of its own. */
  readonly overrides?: readonly string[];
}

/** The source and time of a statement. */
export interface StatementMoment {
  readonly connectorId: string;
  readonly syncId: string;
  readonly nowMs: number;
  readonly order: number;
}

export type PriorityOf = (connectorId: string) => number;

/** The statements after a source replaces its fields by `fields`. The same list if it repeats them. */
export function replaced(
  statements: readonly Statement[],
  fields: StatedFields,
  moment: StatementMoment,
  overrides: readonly string[] = [],
): readonly Statement[] {
  const { connectorId, syncId, nowMs, order } = moment;
  const old = statements.find((statement) => statement.connectorId === connectorId);
  if (old !== undefined && isSameFields(old.fields, fields) && isSameList(old.overrides ?? [], overrides))
    return statements;
  const earlier: Record<string, number> = {};
  for (const name of Object.keys(fields)) {
    const isKept = old !== undefined && name in old.fields && isSameValue(old.fields[name], fields[name]);
    if (isKept) earlier[name] = orderOf(old, name);
  }
  const stated = { connectorId, syncId, sinceMs: nowMs, order, fields, earlier, overrides };
  return old === undefined
    ? [...statements, stated]
    : statements.map((statement) => (statement === old ? stated : statement));
}

/** The statements after a source patches its own, and overrides what others state of the same fields. */
export function overridden(
  statements: readonly Statement[],
  patch: StatedFields,
  moment: StatementMoment,
): readonly Statement[] {
  const old = statements.find(({ connectorId }) => connectorId === moment.connectorId);
  const isStatedElsewhere = (name: string): boolean =>
    statements.some((statement) => statement !== old && Object.hasOwn(statement.fields, name));
  const fields: Record<string, StatedFields[string]> = Object.assign(createProperties(), old?.fields);
  const overrides = new Set(old?.overrides);
  for (const [name, value] of Object.entries(patch)) {
    if (isStatedElsewhere(name)) overrides.add(name);
    else overrides.delete(name);
    if (value === null && !overrides.has(name)) Reflect.deleteProperty(fields, name);
    else fields[name] = value;
  }
  return replaced(statements, fields, moment, [...overrides].sort());
}

export function withdrawn(statements: readonly Statement[], connectorId: string): readonly Statement[] {
  return statements.filter((statement) => statement.connectorId !== connectorId);
}

/** The content of the record. */
export function unionOf(statements: readonly Statement[], priorityOf: PriorityOf): StatedFields {
  const union: Record<string, StatedFields[string]> = createProperties();
  const winners = new Map<string, Statement>();
  for (const statement of statements) {
    for (const name of Object.keys(statement.fields)) {
      const winner = winners.get(name);
      if (winner !== undefined && !winsOver(name, statement, { winner, priorityOf })) continue;
      winners.set(name, statement);
      union[name] = statement.fields[name] ?? null;
    }
  }
  for (const [name, winner] of winners)
    if (union[name] === null && isOverride(winner, name)) Reflect.deleteProperty(union, name);
  return union;
}

/** The last changed statement. */
export function latestOf(statements: readonly Statement[]): Statement | undefined {
  return statements.toSorted(byTime).at(-1);
}

/** The statements in order of precedence, the winning ones first. */
export function inRank(statements: readonly Statement[], priorityOf: PriorityOf): readonly Statement[] {
  return statements.toSorted((a, b) => priorityOf(b.connectorId) - priorityOf(a.connectorId) || byTime(b, a));
}

function winsOver(
  name: string,
  statement: Statement,
  { winner, priorityOf }: { readonly winner: Statement; readonly priorityOf: PriorityOf },
): boolean {
  const isOver = isOverride(statement, name);
  if (isOver !== isOverride(winner, name)) return isOver;
  const isNull = statement.fields[name] === null;
  if (!isOver && isNull !== (winner.fields[name] === null)) return !isNull;
  const gap = priorityOf(statement.connectorId) - priorityOf(winner.connectorId);
  if (gap !== 0) return gap > 0;
  const later = orderOf(statement, name) - orderOf(winner, name);
  return later === 0 ? statement.connectorId < winner.connectorId : later > 0;
}

function isOverride({ overrides }: Statement, name: string): boolean {
  return overrides?.includes(name) === true;
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}

function orderOf({ earlier, order }: Statement, name: string): number {
  return Object.hasOwn(earlier, name) ? (earlier[name] ?? order) : order;
}

function byTime(a: Statement, b: Statement): number {
  return a.order - b.order || a.sinceMs - b.sinceMs || (a.connectorId < b.connectorId ? 1 : -1);
}

export function isSameFields(a: StatedFields, b: StatedFields): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameValue(a[name], b[name]))
  );
}

/** Compares values by their JSON, in which the graph stores them. */
function isSameValue(a: StatedFields[string] | undefined, b: StatedFields[string] | undefined): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));
}

/* The statement implied by a record without a record of statements: one source states all of it. */

/** The last writer of a record. */
export interface Writer {
  readonly connectorId: string;
  readonly syncId: string;
  readonly syncedAtMs: number;
}

/** If the last writer no longer owns the record, its first owner counts as the source. */
function impliedStatement(writer: Writer, owners: readonly string[], fields: StatedFields): Statement {
  const connectors = connectorsOf(owners);
  const isOwner = connectors.length === 0 || connectors.includes(writer.connectorId);
  return {
    connectorId: isOwner ? writer.connectorId : (connectors[0] ?? writer.connectorId),
    syncId: writer.syncId,
    sinceMs: writer.syncedAtMs,
    order: 0,
    fields,
    earlier: {},
  };
}

export function impliedEntity(writer: Writer, owners: readonly string[], entity: EntityInput): Statement {
  const { type, key, displayName, labels, properties, kinds } = entity;
  const spelledOut = spelledOutIn(owners);
  const statesClass = entity.class !== defaultClass(type) || (spelledOut & CLASS_BIT) !== 0;
  const statesName = displayName !== key || (spelledOut & NAME_BIT) !== 0;
  const names = {
    class: statesClass ? entity.class : undefined,
    displayName: statesName ? displayName : undefined,
  };
  return impliedStatement(writer, owners, entityFields({ type, key, ...names, labels, properties, kinds }));
}

export function impliedRelationship(
  writer: Writer,
  owners: readonly string[],
  content: Pick<RelationshipInput, 'verb' | 'properties' | 'kinds'>,
): Statement {
  return impliedStatement(writer, owners, relationshipFields(content.verb, content));
}
