/**
 * Writes a page of a result as the JSON of a reply. The reader writes entities and relationships from its
 * stored bytes.
 */
import type { GraphReader } from '#graph/execution';
import type { ByteSink } from '#graph/model';
import { completed, type Steps } from '#platform/foundation';
import { JsonWriter } from './json-writer.ts';
import {
  LinkCell,
  NodeCell,
  type Cell,
  type QueryItems,
  type QueryPage,
  type QueryResult,
} from './query-result.ts';

export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
}

/** Fields of a reply added by the caller. */
export interface ReplyFacts {
  /** The cursor of the next page. */
  readonly cursor?: string;
  /** Time that the query took; called at the end of the encoding. */
  readonly tookMs: () => number;
}

/** Number of items written between two steps. */
const ITEMS_PER_STEP = 32;

/** `{count, entities, groups?, columns?, rows?, paths?, …, snapshot_version, took_ms}`, in steps. */
export function* encodeSteps(
  result: QueryResult,
  reader: GraphReader,
  sink: ByteSink,
  request: PageRequest & ReplyFacts,
): Steps<void> {
  const { offset, limit, cursor } = request;
  const json = new JsonWriter(sink);
  json.raw(`{"count":${String(result.count)},"entities":`);
  yield* list(json, result.entities(offset, limit), (node) => {
    reader.writeEntity(node, json.sink);
  });
  yield* encodeItems(result, reader, json, request);
  if (result.impactedByClass !== undefined)
    json.member('impacted_by_class', Object.fromEntries(result.impactedByClass));
  if (result.plan !== undefined) json.member('plan', result.plan);
  json.member('warnings', result.warnings);
  if (cursor !== undefined) json.member('cursor', cursor);
  json.raw(`,"snapshot_version":${String(result.snapshotVersion)},"took_ms":${String(request.tookMs())}}`);
  json.end();
}

/** Encodes a result at once, without steps. */
export function encodeResult(
  result: QueryResult,
  reader: GraphReader,
  sink: ByteSink,
  { tookMs, ...request }: PageRequest & Omit<ReplyFacts, 'tookMs'> & { readonly tookMs: number },
): void {
  completed(encodeSteps(result, reader, sink, { ...request, tookMs: () => tookMs }));
}

const NO_NODES = new Uint32Array(0);
/** Number of items of a result converted to values at a time. */
const LINES_PER_PAGE = 256;

/**
 * Writes a whole result as lines, each with one entity, row, group, path or impacted entity as an object, in
 * chunks limited by the caller. The caller writes the last line, or an error in its place: {@link encodeEnd}.
 */
export class LineEncoder {
  readonly #result: QueryResult;
  readonly #reader: GraphReader;
  #page: QueryPage | undefined;
  #pageStart = 0;
  #line = 0;

  constructor(result: QueryResult, reader: GraphReader) {
    this.#result = result;
    this.#reader = reader;
  }

  get isDone(): boolean {
    return this.#pageStart + this.#line >= this.#result.length;
  }

  /** Continues until nothing is left, or `isFull` returns true after a line. */
  write(sink: ByteSink, isFull: () => boolean): void {
    const json = new JsonWriter(sink);
    const cells = new CellWriter(this.#reader, json);
    for (let isOver = false; !isOver && !this.isDone;) {
      this.#page ??= linesAt(this.#result, this.#pageStart, LINES_PER_PAGE);
      const lines = lineWriter(this.#result, this.#page, cells);
      while (!isOver && this.#line < lines.count) {
        lines.write(this.#line++);
        json.raw('\n');
        json.end();
        isOver = isFull();
      }
      if (this.#line >= lines.count) this.#turnPage();
    }
  }

  #turnPage(): void {
    this.#pageStart += LINES_PER_PAGE;
    this.#page = undefined;
    this.#line = 0;
  }
}

/** What lines of a result show: entities are only looked up if they are the lines. */
export function linesAt(result: QueryResult, start: number, count: number): QueryPage {
  const entities = result.kind === 'entities' ? result.entities(start, count) : NO_NODES;
  return { entities, ...result.items(start, count) };
}

/** Writes one line of a result, without a line break. */
export function encodeLine(result: QueryResult, reader: GraphReader, at: number, sink: ByteSink): void {
  const json = new JsonWriter(sink);
  lineWriter(result, linesAt(result, at, 1), new CellWriter(reader, json)).write(0);
  json.end();
}

/**
 * Writes the last lines of a stream: `{"plan":…}` for EXPLAIN and PROFILE; then `{"end":true,"count":n}`,
 * with `warnings` if there are any; each with a line break.
 */
export function encodeEnd({ plan, count, warnings }: QueryResult, sink: ByteSink): void {
  if (plan !== undefined) sink.writeText(`${JSON.stringify({ plan })}\n`);
  const end = { end: true, count, ...(warnings.length > 0 && { warnings }) };
  sink.writeText(`${JSON.stringify(end)}\n`);
}

/** The parts shown besides entities, a few items at a time. */
function* encodeItems(
  result: QueryResult,
  reader: GraphReader,
  json: JsonWriter,
  { offset, limit }: PageRequest,
): Steps<void> {
  const cells = new CellWriter(reader, json);
  const shape = result.items(offset, 0);
  const end = Math.min(result.length, offset + limit);
  const pages = function* <Item>(
    itemsOf: (page: QueryItems) => readonly Item[] | undefined,
  ): Generator<Item> {
    for (let at = offset; at < end; at += LINES_PER_PAGE)
      yield* itemsOf(result.items(at, Math.min(LINES_PER_PAGE, end - at))) ?? [];
  };
  if (shape.groups !== undefined) {
    json.raw(',"groups":');
    yield* list(
      json,
      pages(({ groups }) => groups),
      (group) => cells.group(group),
    );
  }
  if (result.columns !== undefined) json.member('columns', result.columns);
  if (shape.rows !== undefined) {
    json.raw(',"rows":');
    yield* list(
      json,
      pages(({ rows }) => rows),
      (row) => json.list(row, (cell) => cells.cell(cell)),
    );
  }
  if (shape.paths !== undefined) {
    json.raw(',"paths":');
    yield* list(
      json,
      pages(({ paths }) => paths),
      (path) => cells.path(path),
    );
  }
  if (shape.impacted !== undefined) {
    json.raw(',"impacted":');
    yield* list(
      json,
      pages(({ impacted }) => impacted),
      (item) => cells.impacted(item),
    );
  }
}

function* list<Item>(json: JsonWriter, items: Iterable<Item>, write: (item: Item) => void): Steps<void> {
  let count = 0;
  for (const item of items) {
    json.raw(count === 0 ? '[' : ',');
    write(item);
    if (++count % ITEMS_PER_STEP === 0) yield;
  }
  json.raw(count === 0 ? '[]' : ']');
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

  /** Writes a row as an object; of two columns with the same name, the last one wins. */
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

  /** The group's own fields take precedence over an aggregate of the same name. */
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
