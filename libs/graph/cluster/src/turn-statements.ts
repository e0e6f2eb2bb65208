/** The statements of a turn, and of what ends it. Their texts never change: the server plans each once. */
import { crc32c } from '#graph/storage';
import { prepared, type PreparedText, type Statement } from './prepared-statements.ts';
import { type BatchName, type Frame, partsOf, type SharedBatch } from './shared-batch.ts';

/** How long a writer waits for another one before it is asked whether to go on. */
const LOCK_MS = 2_000;
const BEGIN = constant('BEGIN ISOLATION LEVEL READ COMMITTED');
const LOCK_TIMEOUT = constant(`SET LOCAL lock_timeout = ${String(LOCK_MS)}`);
const NO_LOCK_TIMEOUT = constant('SET LOCAL lock_timeout = 0');
const BY_INDEX = constant('SET LOCAL enable_seqscan = off');
const AS_BEFORE = constant('SET LOCAL enable_seqscan TO DEFAULT');
/** Batches of other nodes that come with the lock: a writer that is further behind asks for the rest. */
const NEWS_BYTES_MAX = 256 * 1024;
const NEWS_BATCHES_MAX = 256;

export class TurnStatements {
  /** A commit with a row lock that excludes neither another one nor {@link publish}, and changes nothing. */
  readonly confirmation: Statement;
  readonly #schema: string;
  readonly #lock: Statement;
  readonly #lockNow: Statement;
  readonly #head: PreparedText;
  readonly #news: PreparedText;
  readonly #frames: PreparedText;
  readonly #append: PreparedText;
  readonly #raise: PreparedText;
  readonly #raiseAndTell: PreparedText;

  /** With the quoted name of a schema. */
  constructor(schema: string) {
    this.#schema = schema;
    const lock = `SELECT 1 FROM ${schema}.head FOR UPDATE`;
    this.#lock = constant(lock);
    this.#lockNow = constant(`${lock} NOWAIT`);
    this.confirmation = constant(`SELECT 1 FROM ${schema}.published FOR KEY SHARE`);
    this.#head = prepared(this.#selectHead());
    this.#news = prepared(this.#selectNews());
    this.#frames = prepared(this.#insertFrames());
    this.#append = prepared(this.#insertBatches());
    const batch = `${schema}.batch b WHERE b.seq = $1 AND b.id = $2`;
    const raise = `UPDATE ${schema}.published SET seq = $1 WHERE seq < $1 AND EXISTS (SELECT 1 FROM ${batch})`;
    this.#raise = prepared(raise);
    this.#raiseAndTell = prepared(`WITH raised AS (${raise})
      SELECT pg_notify($3, $4), set_config('synchronous_commit', 'off', true) FROM ${batch}`);
  }

  /**
   * Begins a transaction. The locking statement sees `head` as of now, but the other tables as of when it
   * began to wait; later ones see all of them as of now.
   */
  lock(wait: 'NOWAIT' | ''): readonly Statement[] {
    return [BEGIN, LOCK_TIMEOUT, wait === '' ? this.#lock : this.#lockNow, NO_LOCK_TIMEOUT];
  }

  /** The rows of the last three are the first batches after `seq`, none, and the head. */
  lockWithNews(seq: number): readonly Statement[] {
    const news = this.#news.with([seq, seq + NEWS_BATCHES_MAX]);
    return [...this.lock(''), BY_INDEX, news, AS_BEFORE, this.head(seq)];
  }

  /** With the id of the batch `seq`. */
  head(seq: number): Statement {
    return this.#head.with([seq]);
  }

  /** Inserts parts of batches that are appended next. */
  frames(frames: readonly Frame[]): Statement {
    return this.#frames.with(valuesOf(frames));
  }

  /** Appends batches, and their last parts. Without a row, it is not the turn after batch `after`. */
  append(batches: readonly SharedBatch[], frames: readonly Frame[], after: number): Statement {
    return this.#append.with([
      ...valuesOf(frames),
      batches.map(({ seq }) => seq),
      batches.map(({ id }) => id),
      batches.map(({ atMs }) => Math.floor(atMs)),
      batches.map(({ body }) => partsOf(body)),
      batches.map(({ body }) => crc32c(body)),
      batches.map(({ body }) => body.length),
      batches.at(-1)?.seq,
      after,
    ]);
  }

  /** Tells it to the listeners of a channel. */
  publish({ seq, id }: BatchName, channel: string | undefined): Statement {
    return channel === undefined
      ? this.#raise.with([seq, id])
      : this.#raiseAndTell.with([seq, id, channel, String(seq)]);
  }

  #selectHead(): string {
    return `SELECT h.seq, h.epoch, h.branch, h.place, h.format,
         (SELECT b.id FROM ${this.#schema}.batch b WHERE b.seq = $1) AS id,
         (SELECT l.at FROM ${this.#schema}.batch l WHERE l.seq = h.seq) AS at,
         (SELECT p.seq FROM ${this.#schema}.published p) AS published
       FROM ${this.#schema}.head h`;
  }

  /**
   * Both tables are read from the copy's end on, whatever the planner knows about them: it runs under the row
   * lock, and a merge join would read all frames of the log before them. It is planned while they may be
   * small, hence without sequential scans, which later would read the whole log. Other statements of a turn
   * have no such setting: tables without an index would seem too costly, and be compiled, for each execution.
   */
  #selectNews(): string {
    const next = 'WHERE seq > $1 AND seq <= $2';
    return `SELECT b.seq, b.id, b.at, b.parts, b.crc, b.bytes, f.body
       FROM (SELECT *, sum(bytes) OVER (ORDER BY seq) AS total FROM ${this.#schema}.batch ${next}) b
       JOIN (SELECT * FROM ${this.#schema}.frame ${next}) f ON f.seq = b.seq
       WHERE b.total <= ${String(NEWS_BYTES_MAX)} ORDER BY b.seq, f.part`;
  }

  /** The values are those of the frames, those of the batches, the last number, and the one before. */
  #insertBatches(): string {
    return `WITH raised AS (UPDATE ${this.#schema}.head SET seq = $12 WHERE seq = $13 RETURNING 1 AS is_raised),
       frames AS (${this.#insertFrames('JOIN raised ON true')}), batches AS (
         INSERT INTO ${this.#schema}.batch (seq, id, at, parts, crc, bytes)
         SELECT t.* FROM unnest($6::int8[], $7::uuid[], $8::int8[], $9::int4[], $10::int8[], $11::int8[]) AS t
         JOIN raised ON true)
       SELECT is_raised FROM raised`;
  }

  #insertFrames(join = ''): string {
    return `INSERT INTO ${this.#schema}.frame (seq, part, body)
       SELECT t.seq, t.part, substring($1::bytea FROM t.start FOR t.bytes)
       FROM unnest($2::int8[], $3::int4[], $4::int4[], $5::int4[]) AS t(seq, part, start, bytes) ${join}`;
  }
}

function constant(text: string): Statement {
  return prepared(text).with([]);
}

function valuesOf(frames: readonly Frame[]): readonly unknown[] {
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
