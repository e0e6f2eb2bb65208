import type { Entity, Relationship } from '#graph/model';
import type { PlanTree } from '#graph/query';
import type { QueryReply, ReplyPath } from './query-reply.ts';

/** A reply as columns and rows of text. */
export interface ReplyTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const ENTITY_COLUMNS = ['type', 'key', 'class', 'display_name'];

/** The part of a reply that a table shows: its plan, rows, groups, paths, impacted entities, or entities. */
export function replyTable(reply: QueryReply): ReplyTable {
  const { plan, columns, rows, groups, paths, impacted } = reply;
  if (plan !== undefined)
    return { columns: ['operator', 'detail', 'estimated', 'actual'], rows: planRows(plan) };
  if (columns !== undefined && rows !== undefined) {
    return { columns, rows: rows.map((row) => row.map(cellText)) };
  }
  if (groups !== undefined) return recordTable(groups);
  if (impacted !== undefined)
    return { columns: ['depth', 'type', 'key', 'display_name', 'via'], rows: impacted.map(impactRow) };
  if (paths !== undefined) return pathTable(reply);
  if (reply.entities.length === 0 && reply.count > 0) {
    return { columns: ['count'], rows: [[String(reply.count)]] };
  }
  return entityTable(reply.entities);
}

/** One column for each property that an entity has, in the order in which they first appear. */
function entityTable(entities: readonly Entity[]): ReplyTable {
  const names = [...new Set(entities.flatMap(({ properties }) => Object.keys(properties)))];
  const columns = names.map((name) => (ENTITY_COLUMNS.includes(name) ? `properties.${name}` : name));
  const rows = entities.map(({ type, key, class: className, display_name: shown, properties }) => [
    type,
    key,
    className,
    shown,
    ...names.map((name) => (Object.hasOwn(properties, name) ? cellText(properties[name]) : '')),
  ]);
  return { columns: [...ENTITY_COLUMNS, ...columns], rows };
}

/** All group rows have the same fields; `key` is left out if `keys` is present. */
function recordTable(records: readonly Readonly<Record<string, unknown>>[]): ReplyTable {
  const [first = {}] = records;
  const columns = Object.keys(first).filter((name) => name !== 'key' || !('keys' in first));
  return { columns, rows: records.map((record) => columns.map((name) => cellText(record[name]))) };
}

function impactRow({ depth, entity, via }: Readonly<Record<string, unknown>>): string[] {
  const { type, key, display_name: name } = entity as Entity;
  return [cellText(depth), type, key, name, (via as Relationship | null)?.verb ?? ''];
}

/** One row for each node of a path, with the relationship that leads to it and its direction. */
function pathTable({ paths = [] }: QueryReply): ReplyTable {
  return { columns: ['hop', 'via', 'type', 'key', 'display_name'], rows: paths.flatMap(pathRows) };
}

function pathRows({ nodes, relationships }: ReplyPath): string[][] {
  return nodes.map(({ id, type, key, display_name: name }, hop) => {
    const step = relationships[hop - 1];
    if (step === undefined) return [String(hop), '', type, key, name];
    return [String(hop), step.to.id === id ? `─${step.verb}→` : `←${step.verb}─`, type, key, name];
  });
}

function planRows(plan: PlanTree, depth = 0): string[][] {
  const own = [
    `${'  '.repeat(depth)}${plan.operator}`,
    plan.detail,
    cellText(plan.estimated_rows),
    cellText(plan.actual_rows),
  ];
  return [own, ...plan.children.flatMap((child) => planRows(child, depth + 1))];
}

/** A value as one cell: null is empty, text is unquoted, anything else is JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
