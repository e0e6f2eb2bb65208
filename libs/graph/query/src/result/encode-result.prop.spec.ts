import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  arbitraryFind,
  arbitraryGraph,
  entity,
  findText,
  NaiveReader,
  relationship,
  TextSink,
} from '#graph/testing';
import { QueryEngine } from '../execute/engine/query-engine.ts';
import { encodeEnd, encodeResult, LineEncoder } from './encode-result.ts';
import { LinkCell, NodeCell, type Cell, type QueryPage, type QueryResult } from './query-result.ts';

const engine = new QueryEngine({ vocabulary: { hasClass: () => true, hasVerb: () => true } });
const ALL = 100_000;

/** The content of a page, as plain values. */
class PlainPage {
  readonly #reader: NaiveReader;
  readonly #result: QueryResult;
  readonly #page: QueryPage;

  constructor(reader: NaiveReader, result: QueryResult, { offset, limit }: Page) {
    this.#reader = reader;
    this.#result = result;
    this.#page = result.page(offset, limit);
  }

  get reply(): unknown {
    const { rows } = this.#page;
    const { columns, impactedByClass } = this.#result;
    return plain({
      count: this.#result.count,
      entities: this.#entities,
      groups: this.#groups,
      columns,
      rows: rows?.map((row) => row.map((cell) => this.#cell(cell))),
      paths: this.#paths,
      impacted: this.#impacted,
      impacted_by_class: impactedByClass && Object.fromEntries(impactedByClass),
      warnings: this.#result.warnings,
      snapshot_version: this.#result.snapshotVersion,
      took_ms: 1.5,
    });
  }

  get lines(): unknown {
    const { columns = [], kind } = this.#result;
    const rows = this.#page.rows?.map((row) =>
      Object.fromEntries(columns.map((name, at) => [name, this.#cell(row[at])])),
    );
    const entities = kind === 'entities' ? this.#entities : [];
    return plain(this.#impacted ?? this.#paths ?? this.#groups ?? rows ?? entities);
  }

  get #entities(): readonly unknown[] {
    return Array.from(this.#page.entities, (node) => this.#reader.entity(node));
  }

  get #groups(): readonly unknown[] | undefined {
    return this.#page.groups?.map(({ keys, count, aggregates }) => ({
      ...Object.fromEntries(aggregates.map(([name, cell]) => [name, this.#cell(cell)])),
      key: this.#cell(keys[0]),
      ...(keys.length > 1 && { keys: keys.map((key) => this.#cell(key)) }),
      count,
    }));
  }

  get #paths(): readonly unknown[] | undefined {
    return this.#page.paths?.map(({ nodes, links }) => ({
      hops: links.length,
      nodes: Array.from(nodes, (node) => this.#reader.entity(node)),
      relationships: Array.from(links, (link) => this.#reader.relationship(link)),
    }));
  }

  get #impacted(): readonly unknown[] | undefined {
    return this.#page.impacted?.map(({ node, depth, via }) => ({
      entity: this.#reader.entity(node),
      depth,
      via: this.#reader.relationship(via),
    }));
  }

  #cell(cell: Cell): unknown {
    if (cell instanceof NodeCell) return this.#reader.entity(cell.node);
    return cell instanceof LinkCell ? this.#reader.relationship(cell.link) : (cell ?? null);
  }
}

interface Page {
  readonly offset: number;
  readonly limit: number;
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function replyOf(reader: NaiveReader, result: QueryResult, page: Page): unknown {
  const sink = new TextSink();
  encodeResult(result, reader, sink, { ...page, tookMs: 1.5 });
  return JSON.parse(sink.text);
}

/** The lines, written in chunks of limited size. */
function linesOf(reader: NaiveReader, result: QueryResult, room: number): readonly unknown[] {
  const sink = new TextSink();
  const lines = new LineEncoder(result, reader);
  while (!lines.isDone) {
    let left = room;
    lines.write(sink, () => --left === 0);
  }
  encodeEnd(result, sink);
  return sink.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

function endOf({ count, warnings }: QueryResult): unknown {
  return plain({ end: true, count, warnings: warnings.length > 0 ? warnings : undefined });
}

/** Every form of a result. */
function questions(text: string, aliases: readonly string[]): readonly string[] {
  const [first = ''] = aliases;
  const searches = ['FIND SHORTEST PATH FROM host TO Service', 'FIND BLAST RADIUS FROM user DEPTH 2'];
  if (aliases.length === 0) return [text, `${text} RETURN COUNT`, `${text} GROUP BY os`, ...searches];
  return [
    `${text} RETURN ${aliases.join(', ')}`,
    `${text} RETURN ${first}.os, ${first}.cpu AS x, ${first}.missing, ${first}.os`,
    `${text} GROUP BY ${aliases.join(', ')}`,
    `${text} GROUP BY ${first}.os RETURN COUNT(*) AS count, MAX(${first}.cpu) AS key, MIN(${first}.cpu)`,
  ];
}

describe('a reply', () => {
  const page = fc.record({ offset: fc.nat({ max: 4 }), limit: fc.integer({ min: 1, max: 6 }) });

  it('has the content of the page for every form of a result', () => {
    fc.assert(
      fc.property(arbitraryGraph, arbitraryFind, page, (data, parts, asked) => {
        const reader = new NaiveReader(data);
        const { text, aliases } = findText(parts);
        for (const pql of questions(text, aliases)) {
          const result = engine.runSync(reader, pql);

          expect(replyOf(reader, result, asked)).toEqual(new PlainPage(reader, result, asked).reply);
        }
      }),
    );
  });

  it('of lines has one item per line and the end on the last, with chunks of any size', () => {
    fc.assert(
      fc.property(arbitraryGraph, arbitraryFind, fc.integer({ min: 1, max: 4 }), (data, parts, room) => {
        const reader = new NaiveReader(data);
        const { text, aliases } = findText(parts);
        for (const pql of questions(text, aliases)) {
          const result = engine.runSync(reader, pql);
          const { lines } = new PlainPage(reader, result, { offset: 0, limit: ALL });

          expect(linesOf(reader, result, room)).toEqual([lines, endOf(result)].flat());
        }
      }),
    );
  });

  it.each([
    'FIND host',
    'FIND host AS a RETURN a',
    'FIND host GROUP BY _key',
    'FIND hub THAT USES AS r host AS b RETURN r, b',
    'FIND hub THAT USES AS r host GROUP BY r RETURN r, COUNT(*)',
    'FIND BLAST RADIUS FROM hub',
  ])('of many items has them all: %s', (pql) => {
    const entities = Array.from({ length: 600 }, (_, at) => entity('host', 'Host', `h${String(at)}`));
    const hub = entity('hub', 'Hub', 'hub');
    const relationships = entities.map((to) => relationship(hub, 'USES', to));
    const reader = new NaiveReader({ entities: [hub, ...entities], relationships });
    const result = engine.runSync(reader, pql);
    const all = { offset: 0, limit: ALL };
    const middle = { offset: 10, limit: 550 };

    expect(result.length).toBe(600);
    expect(linesOf(reader, result, 7)).toEqual(
      [new PlainPage(reader, result, all).lines, endOf(result)].flat(),
    );
    expect(replyOf(reader, result, all)).toEqual(new PlainPage(reader, result, all).reply);
    expect(replyOf(reader, result, middle)).toEqual(new PlainPage(reader, result, middle).reply);
  });
});
