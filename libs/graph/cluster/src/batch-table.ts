/** The log of a store as tables: the ordered batches, and the head and published positions. */
import { crc32c } from '#graph/storage';
import { DomainError } from '#platform/foundation';
import type { Connection, Row, Statement } from './connection.ts';
import { PART_BYTES_MAX, quoted, requireFormat } from './schema.ts';
import { failureOf } from './sql-error.ts';

/** How long a writer waits for another one before it is asked whether to go on. */
const LOCK_MS = 2_000;
/** Size of the pieces in which frames are written and read. */
const PAGE_BYTES_MAX = 16 * 1024 * 1024;
const PAGE_BATCHES_MAX = 10_000;
/** Batches of other nodes that come with the lock: a writer that is further behind asks for the rest. */
const NEWS_BYTES_MAX = 256 * 1024;
const NEWS_BATCHES_MAX = 256;

/** A batch in the encoding of a local log, without its frame. */
export interface SharedBatch {
  readonly seq: number;
  readonly id: string;
  readonly atMs: number;
  readonly body: Buffer;
}

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

  constructor(schema: string) {
    this.#schema = quoted(schema);
  }

  /**
   * Begins a transaction that excludes other writers. Waits for them for a short time, with NOWAIT not at
   * all; then it fails, and the transaction has to be rolled back.
   */
  async lockHead(connection: Connection, seq: number, wait: 'NOWAIT' | '' = ''): Promise<Head> {
    return headOf((await connection.wait(this.#lock(seq, wait)))[0]);
  }

  /** The same, with the first batches after `seq`. */
  async lockWithNews(connection: Connection, seq: number): Promise<HeadWithNews> {
    return withNews(await connection.waitAll(`${this.#lock(seq, '')}; ${this.#selectNews(seq)}`));
  }

  /**
   * One message. The locking statement sees `head` as of now, but the other tables as of when it began to
   * wait; later ones see all of them as of now.
   */
  #lock(seq: number, wait: 'NOWAIT' | ''): string {
    return `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = ${String(LOCK_MS)};
       SELECT 1 FROM ${this.#schema}.head FOR UPDATE ${wait}; SET LOCAL lock_timeout = 0;
       ${this.#selectHead(String(seq))}`;
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
    const [row] = await connection.query(this.#selectHead('$1'), [seq]);
    return headOf(row);
  }

  #selectHead(seq: string): string {
    return `SELECT h.seq, h.epoch, h.branch, h.place, h.format,
         (SELECT b.id FROM ${this.#schema}.batch b WHERE b.seq = ${seq}) AS id,
         (SELECT l.at FROM ${this.#schema}.batch l WHERE l.seq = h.seq) AS at,
         (SELECT p.seq FROM ${this.#schema}.published p) AS published
       FROM ${this.#schema}.head h`;
  }

  /**
   * Both tables are read from the copy's end on, whatever the planner knows about them: it runs under the row
   * lock, and a merge join would read all frames of the log before them.
   */
  #selectNews(after: number): string {
    const next = `WHERE seq > ${String(after)} AND seq <= ${String(after + NEWS_BATCHES_MAX)}`;
    return `SELECT b.seq, b.id, b.at, b.parts, b.crc, b.bytes, f.body
       FROM (SELECT *, sum(bytes) OVER (ORDER BY seq) AS total FROM ${this.#schema}.batch ${next}) b
       JOIN (SELECT * FROM ${this.#schema}.frame ${next}) f ON f.seq = b.seq
       WHERE b.total <= ${String(NEWS_BYTES_MAX)} ORDER BY b.seq, f.part`;
  }

  /**
   * Appends after the batch `after`, the last one. Requires the transaction of {@link lockWithNews}. If that
   * has been lost without notice, and another writer was here, nothing is appended, and {@link TurnLost} is
   * thrown. A few megabytes are one statement.
   */
  async append(connection: Connection, batches: readonly SharedBatch[], after: number): Promise<void> {
    const pages = [...pagesOf(batches.flatMap(framesOf))];
    const last = pages.pop() ?? [];
    for (const page of pages) await connection.wait(this.#insertFrames(), frameValues(page));
    const { text, values } = this.#append(batches, last, after);
    if ((await connection.wait(text, values)).length === 0) throw new TurnLost();
  }

  /**
   * Commits what was appended: other writers have the row lock before it is durable. Resolves when it is, as
   * {@link confirm} does.
   */
  async commit(connection: Connection): Promise<void> {
    await connection.commit([], this.#confirmation);
  }

  /** Appends {@link isSmall} batches, and commits them, in one round trip. */
  async appendAndCommit(
    connection: Connection,
    batches: readonly SharedBatch[],
    after: number,
  ): Promise<void> {
    const statement = this.#append(batches, batches.flatMap(framesOf), after);
    if ((await connection.commit([statement], this.#confirmation)).length === 0) throw new TurnLost();
  }

  #append(batches: readonly SharedBatch[], frames: readonly Frame[], after: number): Statement {
    const values = frameValues(frames);
    const at = (column: number): string => `$${String(values.length + column)}`;
    const text = `WITH raised AS (
         UPDATE ${this.#schema}.head SET seq = ${at(7)} WHERE seq = ${at(8)} RETURNING 1 AS is_raised),
       frames AS (${this.#insertFrames('JOIN raised ON true')}), batches AS (
         INSERT INTO ${this.#schema}.batch (seq, id, at, parts, crc, bytes)
         SELECT t.* FROM unnest(${at(1)}::int8[], ${at(2)}::uuid[], ${at(3)}::int8[], ${at(4)}::int4[],
           ${at(5)}::int8[], ${at(6)}::int8[]) AS t JOIN raised ON true)
       SELECT is_raised FROM raised`;
    return {
      text,
      values: [
        ...values,
        batches.map(({ seq }) => seq),
        batches.map(({ id }) => id),
        batches.map(({ atMs }) => Math.floor(atMs)),
        batches.map(({ body }) => Math.max(1, Math.ceil(body.length / PART_BYTES_MAX))),
        batches.map(({ body }) => crc32c(body)),
        batches.map(({ body }) => body.length),
        batches.at(-1)?.seq,
        after,
      ],
    };
  }

  /** Begins another history with the same batches. Requires the transaction of {@link lockHead}. */
  async renew(connection: Connection, epoch: string): Promise<void> {
    await connection.query(`DELETE FROM ${this.#schema}.branch`);
    await connection.query(`UPDATE ${this.#schema}.head SET epoch = $1, branch = ''`, [epoch]);
  }

  /**
   * Readers see batches up to this one, which must be as durable as any commit. The position never moves
   * backwards. Tells it to the listeners of a channel. It need not be durable itself: after a crash, whoever
   * sees that it is late publishes again.
   */
  async publish(connection: Connection, seq: number, channel?: string): Promise<void> {
    const update = `UPDATE ${this.#schema}.published SET seq = $1 WHERE seq < $1`;
    if (channel === undefined) await connection.wait(update, [seq]);
    else {
      const told = `WITH raised AS (${update})
        SELECT pg_notify($2, $3), set_config('synchronous_commit', 'off', true)`;
      await connection.wait(told, [seq, channel, String(seq)]);
    }
  }

  /**
   * Waits until every visible commit is as durable as a new commit would be: those of writers do not wait for
   * it, and after a crash, a primary shows commits that no standby has received.
   */
  async confirm(connection: Connection): Promise<void> {
    await connection.wait(this.#confirmation);
  }

  /** A commit with a row lock that excludes neither another one nor {@link publish}, and changes nothing. */
  get #confirmation(): string {
    return `SELECT 1 FROM ${this.#schema}.published FOR KEY SHARE`;
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
    await connection.query(`DELETE FROM ${this.#schema}.frame WHERE seq <= $1`, [upTo]);
    await connection.query(`DELETE FROM ${this.#schema}.batch WHERE seq <= $1`, [upTo]);
  }

  /** Total size of the batches after `after`. */
  async bytesAfter(connection: Connection, seq: number): Promise<number> {
    const sum = `SELECT coalesce(sum(bytes), 0) AS bytes FROM ${this.#schema}.batch WHERE seq > $1`;
    const [row] = await connection.query(sum, [seq]);
    return Number(row?.['bytes'] ?? 0);
  }

  /** For {@link frameValues}. */
  #insertFrames(join = ''): string {
    return `INSERT INTO ${this.#schema}.frame (seq, part, body)
       SELECT t.seq, t.part, substring($1::bytea FROM t.start FOR t.bytes)
       FROM unnest($2::int8[], $3::int4[], $4::int4[], $5::int4[]) AS t(seq, part, start, bytes) ${join}`;
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

function frameValues(frames: readonly Frame[]): readonly unknown[] {
  const starts: number[] = [];
  let end = 1;
  for (const { body } of frames) {
    starts.push(end);
    end += body.length;
  }
  return [
    Buffer.concat(frames.map(({ body }) => body)),
    frames.map(({ seq }) => seq),
    frames.map(({ part }) => part),
    starts,
    frames.map(({ body }) => body.length),
  ];
}

/** Of a message that ends with these two statements. */
function withNews(results: readonly (readonly Row[])[]): HeadWithNews {
  const [head, news = []] = results.slice(-2);
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
    published: Number(row['published'] ?? 0),
  };
}

interface Frame {
  readonly seq: number;
  readonly part: number;
  readonly bytes: number;
  readonly body: Buffer;
}

function framesOf({ seq, body }: SharedBatch): readonly Frame[] {
  const count = Math.max(1, Math.ceil(body.length / PART_BYTES_MAX));
  return Array.from({ length: count }, (_, part) => {
    const piece = body.subarray(part * PART_BYTES_MAX, (part + 1) * PART_BYTES_MAX);
    return { seq, part, bytes: piece.length, body: piece };
  });
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
