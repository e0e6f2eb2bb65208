/**
 * Complete copies of the store as of one batch. A node starts from a base instead of the beginning of the
 * log, so the log can be trimmed. Part 0 is written last: a base without it is unfinished.
 */
import { hash } from 'node:crypto';
import { checkedBackup } from '#graph/storage';
import type { Connection } from './connection.ts';
import { PART_BYTES_MAX, quoted } from './schema.ts';
import { unavailable } from './sql-error.ts';

const STILL_MS_MAX = 10_000;

export interface BaseEntry {
  /** The last batch that the base contains. */
  readonly seq: number;
  readonly parts: number;
  readonly bytes: number;
  /** The batch up to which what was deleted is erased from it; 0 in a base of an earlier version. */
  readonly erased: number;
}

/** The contents of a base. */
export interface BaseContents extends Pick<BaseEntry, 'seq' | 'erased'> {
  readonly pieces: AsyncIterable<Uint8Array>;
}

export class BaseTable {
  readonly #schema: string;

  constructor(schema: string) {
    this.#schema = quoted(schema);
  }

  /** Newest first. */
  async list(connection: Connection): Promise<readonly BaseEntry[]> {
    const rows = await connection.query(
      `SELECT seq, body FROM ${this.#schema}.base WHERE part = 0 ORDER BY seq DESC`,
    );
    return rows.map(({ seq, body }) => {
      const { parts, bytes, erased = 0 } = JSON.parse(String(body)) as StoredEntry;
      return { seq: Number(seq), parts, bytes, erased };
    });
  }

  /** Resolves once the base has been read back and verified, and is readable. */
  async write(connection: Connection, { seq, pieces, erased }: BaseContents): Promise<void> {
    const entry = await this.writeParts(connection, seq, pieces);
    await this.finish(connection, { ...entry, erased });
  }

  /**
   * Resolves once the parts have been read back and verified; {@link finish} makes them a base. Identical
   * parts of an interrupted attempt are reused.
   */
  async writeParts(
    connection: Connection,
    seq: number,
    pieces: AsyncIterable<Uint8Array>,
  ): Promise<BaseEntry> {
    await connection.query(`DELETE FROM ${this.#schema}.base WHERE seq = $1 AND part = 0`, [seq]);
    const there = await this.#digests(connection, seq);
    let parts = 0;
    let bytes = 0;
    for await (const body of inParts(pieces)) {
      parts++;
      bytes += body.length;
      if (there.get(parts) !== hash('md5', body)) await this.#put(connection, seq, parts, body);
    }
    await connection.query(`DELETE FROM ${this.#schema}.base WHERE seq = $1 AND part > $2`, [seq, parts]);
    const entry = { seq, parts, bytes, erased: 0 };
    await readThrough(checkedBackup(this.read(connection, entry)));
    return entry;
  }

  /** Makes the parts readable as a base. Throws STORE_UNAVAILABLE if another node has deleted some. */
  async finish(connection: Connection, { seq, parts, bytes, erased }: BaseEntry): Promise<void> {
    await this.alone(connection, async () => {
      const text = `SELECT count(*) AS parts FROM ${this.#schema}.base WHERE seq = $1 AND part BETWEEN 1 AND $2`;
      const [row] = await connection.query(text, [seq, parts]);
      if (Number(row?.['parts']) !== parts) throw unavailable('another node has deleted parts of the base');
      await this.#put(connection, seq, 0, Buffer.from(JSON.stringify({ parts, bytes, erased }), 'utf8'));
    });
  }

  /**
   * Runs `work` in a transaction in which no other node changes bases: one that has lost its lease may do so
   * at any time. The database ends it if this process stands still.
   */
  async alone(connection: Connection, work: () => Promise<void>): Promise<void> {
    await connection.query('BEGIN');
    try {
      await connection.query(`SET LOCAL idle_in_transaction_session_timeout = ${String(STILL_MS_MAX)}`);
      await connection.wait(`LOCK TABLE ${this.#schema}.base IN SHARE ROW EXCLUSIVE MODE`);
      await work();
      await connection.wait('COMMIT');
    } catch (error) {
      await connection.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  async *read(connection: Connection, { seq, parts }: BaseEntry): AsyncGenerator<Uint8Array> {
    const text = `SELECT body FROM ${this.#schema}.base WHERE seq = $1 AND part = $2`;
    for (let part = 1; part <= parts; part++) {
      const [row] = await connection.query(text, [seq, part]);
      if (row !== undefined) yield row['body'] as Buffer;
    }
  }

  /** Deletes all older bases, finished or not, except one. */
  async dropBefore(connection: Connection, seq: number, except = 0): Promise<void> {
    await connection.query(`DELETE FROM ${this.#schema}.base WHERE seq < $1 AND seq <> $2`, [seq, except]);
  }

  /** Deletes all other bases, finished or not. */
  async keepOnly(connection: Connection, seq: number): Promise<void> {
    await connection.wait(`DELETE FROM ${this.#schema}.base WHERE seq <> $1`, [seq]);
  }

  /** Reads the digest of each part. */
  async #digests(connection: Connection, seq: number): Promise<ReadonlyMap<number, string>> {
    const text = `SELECT part, md5(body) AS digest FROM ${this.#schema}.base WHERE seq = $1 AND part > 0`;
    const rows = await connection.query(text, [seq]);
    return new Map(rows.map(({ part, digest }) => [Number(part), String(digest)]));
  }

  async #put(connection: Connection, seq: number, part: number, body: Buffer): Promise<void> {
    await connection.query(
      `INSERT INTO ${this.#schema}.base (seq, part, body) VALUES ($1, $2, $3)
       ON CONFLICT (seq, part) DO UPDATE SET body = excluded.body`,
      [seq, part, body],
    );
  }
}

type StoredEntry = Pick<BaseEntry, 'parts' | 'bytes'> & Partial<Pick<BaseEntry, 'erased'>>;

/** Throws the errors of reading a base. */
async function readThrough(pieces: AsyncGenerator<Uint8Array>): Promise<void> {
  let step = await pieces.next();
  while (step.done !== true) step = await pieces.next();
}

async function* inParts(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    // The source may reuse the buffer of a piece once the next piece is requested.
    held.push(Buffer.from(piece));
    bytes += piece.length;
    if (bytes < PART_BYTES_MAX / 2) continue;
    yield* cut(Buffer.concat(held));
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield* cut(Buffer.concat(held));
}

function* cut(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PART_BYTES_MAX) yield bytes.subarray(at, at + PART_BYTES_MAX);
}
