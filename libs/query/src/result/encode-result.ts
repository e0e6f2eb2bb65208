/**
 * Writes a page of a result as the JSON of a reply. Entities and relationships are written by the reader,
 * from the bytes that it keeps.
 */
import type { ByteSink, GraphReader } from '../graph-reader.port.ts';
import { JsonWriter } from './json-writer.ts';
import { LinkCell, NodeCell, type Cell, type QueryPage, type QueryResult } from './query-result.ts';

export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
}

/** What the caller knows of a reply, and the result does not. */
export interface ReplyFacts {
  /** Where more is to be had. */
  readonly cursor?: string;
  readonly tookMs: number;
}

/** `{count, entities, groups?, columns?, rows?, paths?, impacted?, …, snapshot_version, took_ms}`. */
export function encodeResult(
  result: QueryResult,
  reader: GraphReader,
  sink: ByteSink,
  { offset, limit, cursor, tookMs }: PageRequest & ReplyFacts,
): void {
  const page = result.page(offset, limit);
  const json = new JsonWriter(sink);
  json.raw(`{"count":${String(result.count)},"entities":`);
  json.list(page.entities, (node) => {
    reader.writeEntity(node, json.sink);
  });
  encodeFound(result, page, reader, json);
  if (result.plan !== undefined) json.member('plan', result.plan);
  json.member('warnings', result.warnings);
  if (cursor !== undefined) json.member('cursor', cursor);
  json.raw(`,"snapshot_version":${String(result.snapshotVersion)},"took_ms":${String(tookMs)}}`);
  json.end();
}

/**
 * Writes a page as lines: one entity, row, group, path or impacted entity each, as an object. The last
 * line, and the error in its place, are the caller's: {@link encodeEnd}.
 */
export function encodeLines(
  result: QueryResult,
  reader: GraphReader,
  sink: ByteSink,
  request: PageRequest,
): void {
  const page = result.page(request.offset, request.limit);
  const json = new JsonWriter(sink);
  const lines = lineWriter(result, page, new CellWriter(reader, json));
  for (let line = 0; line < lines.count; line++) {
    lines.write(line);
    json.raw('\n');
  }
  json.end();
}

/** Of EXPLAIN and PROFILE a line `{"plan":…}`; then `{"end":true,"count":n}`, each with a line break. */
export function encodeEnd(result: QueryResult, sink: ByteSink): void {
  if (result.plan !== undefined) sink.writeText(`${JSON.stringify({ plan: result.plan })}\n`);
  sink.writeText(`{"end":true,"count":${String(result.count)}}\n`);
}

function encodeFound(result: QueryResult, page: QueryPage, reader: GraphReader, json: JsonWriter): void {
  const cells = new CellWriter(reader, json);
  const list = <Item>(
    name: string,
    items: readonly Item[] | undefined,
    write: (item: Item) => void,
  ): void => {
    if (items === undefined) return;
    json.raw(`,"${name}":`);
    json.list(items, write);
  };
  list('groups', page.groups, (group) => cells.group(group));
  if (result.columns !== undefined) json.member('columns', result.columns);
  list('rows', page.rows, (row) => {
    json.list(row, (cell) => cells.cell(cell));
  });
  list('paths', page.paths, (path) => cells.path(path));
  list('impacted', page.impacted, (item) => cells.impacted(item));
  const byClass = result.impactedByClass?.();
  if (byClass !== undefined) json.member('impacted_by_class', Object.fromEntries(byClass));
}

interface Lines {
  readonly count: number;
  readonly write: (line: number) => void;
}

function lineWriter(result: QueryResult, page: QueryPage, cells: CellWriter): Lines {
  const of = <Item>(items: ArrayLike<Item>, write: (item: Item) => void): Lines => ({
    count: items.length,
    write: (line) => {
      const item = items[line];
      if (item !== undefined) write(item);
    },
  });
  if (page.impacted !== undefined) return of(page.impacted, (item) => cells.impacted(item));
  if (page.paths !== undefined) return of(page.paths, (path) => cells.path(path));
  if (page.groups !== undefined) return of(page.groups, (group) => cells.group(group));
  if (page.rows !== undefined) return of(page.rows, (row) => cells.row(result.columns ?? [], row));
  return of(page.entities, (node) => cells.entity(node));
}

type GroupRow = NonNullable<QueryPage['groups']>[number];
type FoundPath = NonNullable<QueryPage['paths']>[number];
type ImpactedEntity = NonNullable<QueryPage['impacted']>[number];

class CellWriter {
  readonly #reader: GraphReader;
  readonly #json: JsonWriter;

  constructor(reader: GraphReader, json: JsonWriter) {
    this.#reader = reader;
    this.#json = json;
  }

  entity(node: number): void {
    this.#reader.writeEntity(node, this.#json.sink);
  }

  cell(cell: Cell): void {
    if (cell instanceof NodeCell) this.entity(cell.node);
    else if (cell instanceof LinkCell) this.#link(cell.link);
    else this.#json.value(cell ?? null);
  }

  /** As an object; of two columns of one name the last one stays. */
  row(columns: readonly string[], row: readonly Cell[]): void {
    const last = new Map(columns.map((name, at) => [name, at]));
    this.#json.raw('{');
    let separator = '';
    for (const [name, at] of last) {
      this.#json.raw(`${separator}${JSON.stringify(name)}:`);
      this.cell(row[at]);
      separator = ',';
    }
    this.#json.raw('}');
  }

  /** The group's own fields go before an aggregate of the same name. */
  group({ keys, count, aggregates }: GroupRow): void {
    this.#json.raw('{"key":');
    this.cell(keys[0]);
    if (keys.length > 1) {
      this.#json.raw(',"keys":');
      this.#json.list(keys, (key) => this.cell(key));
    }
    this.#json.raw(`,"count":${String(count)}`);
    for (const [name, cell] of new Map(aggregates)) {
      if (name === 'key' || name === 'keys' || name === 'count') continue;
      this.#json.raw(`,${JSON.stringify(name)}:`);
      this.cell(cell);
    }
    this.#json.raw('}');
  }

  path({ nodes, links }: FoundPath): void {
    this.#json.raw(`{"hops":${String(links.length)},"nodes":`);
    this.#json.list(nodes, (node) => this.entity(node));
    this.#json.raw(',"relationships":');
    this.#json.list(links, (link) => this.#link(link));
    this.#json.raw('}');
  }

  impacted({ node, depth, via }: ImpactedEntity): void {
    this.#json.raw('{"entity":');
    this.entity(node);
    this.#json.raw(`,"depth":${String(depth)},"via":`);
    this.#link(via);
    this.#json.raw('}');
  }

  #link(link: number): void {
    this.#reader.writeRelationship(link, this.#json.sink);
  }
}
