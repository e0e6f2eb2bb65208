import { ReadingStatement } from '#graph/cypher';
import type { RuleViolation } from './outcome.ts';

type Column = ReadingStatement['columns'][number];
type Columns = ReadingStatement['columns'];

/** The rows of the statement that are one result: all that its RETURN shows of them. */
export function narrowedCypher(
  cypher: string,
  { entity_id: id, keys = [] }: Pick<RuleViolation, 'entity_id' | 'keys'>,
): string {
  const { columns } = new ReadingStatement(cypher);
  const conditions = id === null ? conditionsOf(columns, keys) : [isEntity(columns, id)];
  return conditions.length === 0 ? cypher : statementWhere(cypher, conditions.join(' AND '));
}

/** The statement, with the rows that meet a condition on its columns. */
export function statementWhere(cypher: string, condition: string): string {
  const { text, columns } = new ReadingStatement(cypher);
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  return `CALL {\n${text}\n}\nWITH * WHERE ${condition}\nRETURN ${names}`;
}

function isEntity([first]: Columns, id: string): string {
  const name = quoted(first?.name ?? '');
  return `elementId(${first?.kind === 'path' ? `nodes(${name})[0]` : name}) = ${literal(id)}`;
}

/** What a key does not tell apart, such as a list, narrows nothing. */
function conditionsOf(columns: Columns, keys: readonly unknown[]): readonly string[] {
  return columns.flatMap((column, at) => conditionOn(column, keys[at]) ?? []);
}

function conditionOn({ name, kind }: Column, key: unknown): string | undefined {
  const column = quoted(name);
  if (key === null) return `${column} IS NULL`;
  if (typeof key === 'number' || typeof key === 'boolean') return `${column} = ${String(key)}`;
  if (typeof key !== 'string') return undefined;
  if (kind === 'node' || kind === 'link') return `elementId(${column}) = ${literal(key)}`;
  // A key in JSON is text where the value is a date or a large integer.
  return kind === 'string' ? `${column} = ${literal(key)}` : `toStringOrNull(${column}) = ${literal(key)}`;
}

function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
