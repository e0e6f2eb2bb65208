/** The rows of a query that came and went between two results. */
import { createHash } from 'node:crypto';
import type { GraphReader } from '#graph/execution';
import { DomainError } from '#platform/foundation';
import { encodeLine, linesAt } from '../result/encode-result.ts';
import { type Cell, LinkCell, NodeCell, type QueryPage, type QueryResult } from '../result/query-result.ts';
import type { OpenResult } from '../service/query-service.ts';
import { ReplyBytes } from '../service/reply-bytes.ts';

/** Rows of either result: their identities are in memory. */
const ROWS_MAX = 1_000_000;
const ROWS_PER_TURN = 256;
/** Longer identities are replaced by a hash of so many bytes. */
const IDENTITY_BYTES = 16;

export interface RowChange {
  readonly change: 'came' | 'went';
  /** An entity, or an object with the columns, as in a reply of lines. */
  readonly row: unknown;
}

export interface RowDiff {
  /** Numbers of all rows, on every page. */
  readonly came: number;
  readonly went: number;
  /** Those that came, in the order of the later result; then those that went, in that of the earlier one. */
  readonly rows: readonly RowChange[];
}

/**
 * Compares two results of one query. Entities and relationships are the same while their ids are: what is
 * shown of them may have changed. Throws QUERY_TOO_LARGE.
 */
export async function rowDiff(
  before: OpenResult,
  after: OpenResult,
  page: { readonly offset: number; readonly limit: number },
): Promise<RowDiff> {
  const left = await countsOf(before);
  const came: number[] = [];
  for await (const [at, identity] of identitiesOf(after)) if (!take(left, identity)) came.push(at);
  const went: number[] = [];
  if (left.size > 0)
    for await (const [at, identity] of identitiesOf(before)) if (take(left, identity)) went.push(at);
  const end = page.offset + page.limit;
  const shown = (numbers: readonly number[], start: number, end: number): readonly number[] =>
    numbers.slice(Math.max(0, start), Math.max(0, end));
  return {
    came: came.length,
    went: went.length,
    rows: [
      ...(await rowsAt(after, 'came', shown(came, page.offset, end))),
      ...(await rowsAt(before, 'went', shown(went, page.offset - came.length, end - came.length))),
    ],
  };
}

async function countsOf(open: OpenResult): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const [, identity] of identitiesOf(open)) counts.set(identity, (counts.get(identity) ?? 0) + 1);
  return counts;
}

/** Whether there was one; removes it. */
function take(counts: Map<string, number>, identity: string): boolean {
  const count = counts.get(identity);
  if (count === undefined) return false;
  if (count === 1) counts.delete(identity);
  else counts.set(identity, count - 1);
  return true;
}

async function* identitiesOf(open: OpenResult): AsyncGenerator<readonly [number, string]> {
  const { result, reader } = open;
  const { length } = result;
  if (length > ROWS_MAX) {
    const message = `expected at most ${String(ROWS_MAX)} rows to compare, got ${String(length)}: narrow the query`;
    throw new DomainError('QUERY_TOO_LARGE', message);
  }
  if (result.kind === 'count') yield [0, String(result.count)];
  for (let start = 0; start < length; start += ROWS_PER_TURN) {
    const page = linesAt(result, start, ROWS_PER_TURN);
    const identities = pageIdentities(page, reader);
    for (const [at, identity] of identities.entries()) yield [start + at, shortened(identity)];
    await open.turn();
  }
}

function pageIdentities(page: QueryPage, reader: GraphReader): readonly string[] {
  const node = (number: number): string => String(reader.nodeField(number, '_id'));
  const link = (number: number): string => String(reader.linkField(number, '_id'));
  const cell = (value: Cell): unknown => {
    if (value instanceof NodeCell) return { node: node(value.node) };
    if (value instanceof LinkCell) return { link: link(value.link) };
    return value ?? null;
  };
  const text = (...values: readonly unknown[]): string => JSON.stringify(values);
  const { groups, rows, paths, impacted, entities } = page;
  if (impacted !== undefined) return impacted.map((item) => text(node(item.node), item.depth));
  if (paths !== undefined)
    return paths.map((path) => text(Array.from(path.nodes, node), Array.from(path.links, link)));
  if (groups !== undefined)
    return groups.map(({ keys, count, aggregates }) =>
      text(keys.map(cell), count, ...aggregates.map(([name, value]) => [name, cell(value)])),
    );
  if (rows !== undefined) return rows.map((row) => text(...row.map(cell)));
  return Array.from(entities, node);
}

function shortened(identity: string): string {
  if (identity.length <= 2 * IDENTITY_BYTES) return identity;
  return createHash('sha256').update(identity).digest().toString('latin1', 0, IDENTITY_BYTES);
}

async function rowsAt(
  open: OpenResult,
  change: RowChange['change'],
  numbers: readonly number[],
): Promise<readonly RowChange[]> {
  const rows: RowChange[] = [];
  for (const at of numbers) {
    rows.push({ change, row: rowAt(open.result, open.reader, at) });
    if (rows.length % ROWS_PER_TURN === 0) await open.turn();
  }
  return rows;
}

function rowAt(result: QueryResult, reader: GraphReader, at: number): unknown {
  if (result.kind === 'count') return { count: result.count };
  const bytes = new ReplyBytes();
  encodeLine(result, reader, at, bytes);
  return JSON.parse(bytes.drain().toString('utf8'));
}
