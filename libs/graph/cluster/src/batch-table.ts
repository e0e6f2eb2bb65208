/** The log of a store as tables: the ordered batches, and the head and published positions. */
import { crc32c } from '#graph/storage';
import { DomainError } from '#platform/foundation';
import type { Connection } from './connection.ts';
import type { Row } from './pipeline.ts';
import { quoted, requireFormat } from './schema.ts';
import { type BatchName, framesOf, type SharedBatch } from './shared-batch.ts';
import { failureOf } from './sql-error.ts';
import { TurnStatements } from './turn-statements.ts';

/** Size of the pieces in which frames are written and read. */
const PAGE_BYTES_MAX = 16 * 1024 * 1024;
const PAGE_BATCHES_MAX = 10_000;

export interface Head {
  readonly seq: number;
  /** Epoch of the history. */
  readonly epoch: string;
  /** Branch of the history; empty for its first one. */
  readonly branch: string;
  /** The place where the branch began; empty in a new store. */
  readonly place: string;
  /** Id of the requested batch; undefined if the batch does not exist. */
  readonly id: string | undefined;
  /** Time of the last batch; 0 in an empty log. */
  readonly atMs: number;
  /** The last published batch. */
  readonly published: number;
}

/** The head, and the first batches after the requested one. */
export interface HeadWithNews extends Head {
  readonly news: readonly SharedBatch[];
}

interface BatchRow {
  readonly seq: number;
  readonly id: string;
  readonly atMs: number;
  readonly parts: number;
  readonly crc: number;
  readonly bytes: number;
}

export class BatchTable {
  readonly #schema: string;
  readonly #statements: TurnStatements;

  constructor(schema: string) {
    this.#schema = quoted(schema);
    this.#statements = new TurnStatements(this.#schema);
  }

  /**
   * Begins a transaction that excludes other writers. Waits for them for a short time, with NOWAIT not at
   * all; then it fails, and the transaction has to be rolled back.
   */
  async lockHead(connection: Connection, seq: number, wait: 'NOWAIT' | '' = ''): Promise<Head> {
    const results = await connection.waitAll([...this.#statements.lock(wait), this.#statements.head(seq)]);
    return headOf(results.at(-1)?.[0]);
  }

  /** The same, with the first batches after `seq`. */
  async lockWithNews(connection: Connection, seq: number): Promise<HeadWithNews> {
    return withNews(await connection.waitAll(this.#statements.lockWithNews(seq)));
  }

  /** The same without waiting; undefined while there is another writer. */
  async lockHeadNow(connection: Connection): Promise<Head | undefined> {
    try {
      return await this.lockHead(connection, 0, 'NOWAIT');
    } catch (error) {
      if (failureOf(error) !== 'again') throw error;
      await connection.query('ROLLBACK');
      return undefined;
    }
  }

  /** Throws STORE_TOO_NEW also when a newer version has changed the format since the start. */
  async head(connection: Connection, seq: number): Promise<Head> {
    const { text, values } = this.#statements.head(seq);
    const [row] = await connection.query(text, values);
    return headOf(row);
  }

  /**
   * Appends after the batch `after`, the last one. Requires the transaction of {@link lockWithNews}. If that
   * has been lost without notice, and another writer was here, nothing is appended, and {@link TurnLost} is
   * thrown. A few megabytes are one statement.
   */
  async append(connection: Connection, batches: readonly SharedBatch[], after: number): Promise<void> {
    const pages = [...pagesOf(batches.flatMap(framesOf))];
    const last = pages.pop() ?? [];
    for (const page of pages) await connection.waitAll([this.#statements.frames(page)]);
    const [rows = []] = await connection.waitAll([this.#statements.append(batches, last, after)]);
    if (rows.length === 0) throw new TurnLost();
  }

  /**
   * Commits what was appended: other writers have the row lock before it is durable. Resolves when it is, as
   * {@link confirm} does.
   */
  async commit(connection: Connection): Promise<void> {
    await connection.commit([], this.#statements.confirmation);
  }

  /** Appends {@link isSmall} batches, and commits them, in one round trip. */
  async appendAndCommit(
    connection: Connection,
    batches: readonly SharedBatch[],
    after: number,
  ): Promise<void> {
    const statement = this.#statements.append(batches, batches.flatMap(framesOf), after);
    if ((await connection.commit([statement], this.#statements.confirmation)).length === 0)
      throw new TurnLost();
  }

  /** Begins another history with the same batches. Requires the transaction of {@link lockHead}. */
  async renew(connection: Connection, epoch: string): Promise<void> {
    await connection.query(`DELETE FROM ${this.#schema}.branch`);
    await connection.query(`UPDATE ${this.#schema}.head SET epoch = $1, branch = ''`, [epoch]);
  }

  /**
   * Readers see batches up to this one, which must be as durable as any commit. The position never moves
   * backwards, nor to a batch that is not in this history. Tells it to the listeners of a channel. It need
   * not be durable itself: after a crash, whoever sees that it is late publishes again.
   */
  async publish(connection: Connection, last: BatchName, channel?: string): Promise<void> {
    await connection.waitAll([this.#statements.publish(last, channel)]);
  }

  /**
   * Waits until every visible commit is as durable as a new commit would be: those of writers do not wait for
   * it, and after a crash, a primary shows commits that no standby has received.
   */
  async confirm(connection: Connection): Promise<void> {
    await connection.waitAll([this.#statements.confirmation]);
  }

  /**
   * Batches after `after` up to `upTo`, in order, page by page. Throws STORE_CORRUPT for a missing batch and
   * for one with a wrong checksum.
   */
  async *read(connection: Connection, after: number, upTo: number): AsyncGenerator<readonly SharedBatch[]> {
    for (let last = after; last < upTo;) {
      const rows = await this.#rows(connection, last, upTo);
      if (rows[0]?.seq !== last + 1) throw corruptBatch(last + 1, 'is missing');
      for (const page of pagesOf(rows)) {
        const batches = await this.#batches(connection, page);
        yield batches;
        last = batches.at(-1)?.seq ?? last;
      }
    }
  }

  /** The oldest batch in the log; undefined if the log is empty. */
  async oldest(connection: Connection): Promise<number | undefined> {
    const [row] = await connection.query(`SELECT min(seq) AS seq FROM ${this.#schema}.batch`);
    return row?.['seq'] === null || row === undefined ? undefined : Number(row['seq']);
  }

  /** Deletes the batches that a base replaces. */
  async drop(connection: Connection, upTo: number): Promise<void> {
    await connection.wait(`DELETE FROM ${this.#schema}.frame WHERE seq <= $1`, [upTo]);
    await connection.wait(`DELETE FROM ${this.#schema}.batch WHERE seq <= $1`, [upTo]);
  }

  /** Has the database reuse the space of what was deleted, once no transaction sees it. */
  async vacuum(connection: Connection): Promise<void> {
    for (const table of ['frame', 'batch', 'base']) await connection.wait(`VACUUM ${this.#schema}.${table}`);
  }

  /** Total size of the batches after `after`. */
  async bytesAfter(connection: Connection, seq: number): Promise<number> {
    const sum = `SELECT coalesce(sum(bytes), 0) AS bytes FROM ${this.#schema}.batch WHERE seq > $1`;
    const [row] = await connection.query(sum, [seq]);
    return Number(row?.['bytes'] ?? 0);
  }

  async #rows(connection: Connection, after: number, upTo: number): Promise<readonly BatchRow[]> {
    const rows = await connection.query(
      `SELECT seq, id, at, parts, crc, bytes FROM ${this.#schema}.batch
       WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT ${String(PAGE_BATCHES_MAX)}`,
      [after, upTo],
    );
    return rows.map(batchRow);
  }

  async #batches(connection: Connection, rows: readonly BatchRow[]): Promise<readonly SharedBatch[]> {
    const frames = await connection.query(
      `SELECT seq, body FROM ${this.#schema}.frame WHERE seq BETWEEN $1 AND $2 ORDER BY seq, part`,
      [rows[0]?.seq, rows.at(-1)?.seq],
    );
    return batchesOf(rows, frames);
  }
}

/** Batches in order; `frames` has a row for each of their parts, in order. */
function batchesOf(rows: readonly BatchRow[], frames: readonly Row[]): readonly SharedBatch[] {
  const bodies = new Map<number, Buffer[]>();
  for (const { seq, body } of frames) {
    const parts = bodies.get(Number(seq)) ?? [];
    parts.push(body as Buffer);
    bodies.set(Number(seq), parts);
  }
  return rows.map(({ seq, id, atMs, crc }, index) => {
    if (seq !== (rows[0]?.seq ?? 0) + index) throw corruptBatch(seq - 1, 'is missing');
    const parts = bodies.get(seq) ?? [];
    const [first = Buffer.alloc(0)] = parts;
    const body = parts.length === 1 ? first : Buffer.concat(parts);
    if (crc32c(body) !== crc) throw corruptBatch(seq, 'is damaged');
    return { seq, id, atMs, body };
  });
}

/** The first row of each batch. */
function distinct(rows: readonly Row[]): readonly Row[] {
  return rows.filter(({ seq }, at) => seq !== rows[at - 1]?.['seq']);
}

/** The turn had ended without this node's knowledge: nothing was appended. */
export class TurnLost extends Error {
  constructor() {
    super('expected the last batch to be the one that this turn began with');
  }
}

/** Whether batches of this total size are sent with their COMMIT, although it takes some time. */
export function isSmall(bytes: number): boolean {
  return bytes <= SMALL_BYTES_MAX;
}

const SMALL_BYTES_MAX = 64 * 1024;

/** Of messages that end with the news, a setting and the head. */
function withNews(results: readonly (readonly Row[])[]): HeadWithNews {
  const [news = [], , head] = results.slice(-3);
  return { ...headOf(head?.[0]), news: batchesOf(distinct(news).map(batchRow), news) };
}

function headOf(row: Row | undefined): Head {
  if (row === undefined) throw corruptBatch(0, 'has no head');
  requireFormat(Number(row['format']));
  const id = row['id'];
  return {
    seq: Number(row['seq']),
    epoch: String(row['epoch']),
    branch: String(row['branch']),
    place: String(row['place']),
    id: typeof id === 'string' ? id : undefined,
    atMs: Number(row['at'] ?? 0),
    // A node of an earlier version may have published what was lost meanwhile.
    published: Math.min(Number(row['published'] ?? 0), Number(row['seq'])),
  };
}

/** Splits items, in order, into pages of at most `bytesMax` bytes, or of one item. */
function* pagesOf<T extends { readonly bytes: number }>(items: readonly T[]): Generator<readonly T[]> {
  let page: T[] = [];
  let bytes = 0;
  for (const item of items) {
    if (page.length > 0 && bytes + item.bytes > PAGE_BYTES_MAX) {
      yield page;
      page = [];
      bytes = 0;
    }
    page.push(item);
    bytes += item.bytes;
  }
  if (page.length > 0) yield page;
}

function batchRow(row: Row): BatchRow {
  return {
    seq: Number(row['seq']),
    id: String(row['id']),
    atMs: Number(row['at']),
    parts: Number(row['parts']),
    crc: Number(row['crc']),
    bytes: Number(row['bytes']),
  };
}

function corruptBatch(seq: number, what: string): DomainError {
  return new DomainError('STORE_CORRUPT', `batch ${String(seq)} of the shared log ${what}`, {
    details: { seq },
  });
}
