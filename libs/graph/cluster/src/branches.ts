/**
 * The branches of a history: another one begins when the database goes on in another place, after a promotion
 * or a restore, because its last batches may be lost there and their numbers be assigned again. A token names
 * its branch, so that its number is recognized as lost although no node has that batch (ADR 0245).
 */
import { randomBytes } from 'node:crypto';
import type { StorageLog } from '#graph/storage';
import type { Head } from './batch-table.ts';
import type { Connection } from './connection.ts';
import { quoted } from './schema.ts';
import { placeName } from './timelines.ts';

const ID_BYTES = 4;

export class Branches {
  readonly #schema: string;
  readonly #log: StorageLog;

  constructor(schema: string, log: StorageLog) {
    this.#schema = quoted(schema);
    this.#log = log;
  }

  /** Whether the connection is to another place than that of the branch; false if it does not show it. */
  hasMoved({ place }: Connection, head: Head): boolean {
    return place !== undefined && placeName(place) !== head.place;
  }

  /**
   * Begins another branch after a move, or notes the place of a new store. Requires the transaction of
   * `lockHead`, and commits it. Returns false, and does nothing, without a move.
   */
  async begin(connection: Connection, head: Head): Promise<boolean> {
    const { place } = connection;
    if (place === undefined || !this.hasMoved(connection, head)) return false;
    const isFirst = head.place === '';
    const branch = isFirst ? head.branch : randomBytes(ID_BYTES).toString('hex');
    if (!isFirst)
      await connection.query(`INSERT INTO ${this.#schema}.branch (id, seq) VALUES ($1, $2)`, [
        head.branch,
        head.seq,
      ]);
    await connection.query(`UPDATE ${this.#schema}.head SET place = $1, branch = $2`, [
      placeName(place),
      branch,
    ]);
    await connection.wait('COMMIT');
    const fields = { event: 'store.branched', seq: head.seq, branch, host: connection.host };
    if (!isFirst)
      this.#log.warn(fields, 'the database goes on in another place: later numbers are not valid');
    return true;
  }

  /** The last batch of each earlier branch, by {@link tokenEpoch}. */
  async ended(connection: Connection, { epoch }: Head): Promise<ReadonlyMap<string, number>> {
    const rows = await connection.query(`SELECT id, seq FROM ${this.#schema}.branch`);
    return new Map(rows.map(({ id, seq }) => [tokenEpoch({ epoch, branch: String(id) }), Number(seq)]));
  }
}

/** The epoch in tokens: that of the history, with its branch after the first. */
export function tokenEpoch({ epoch, branch }: Pick<Head, 'epoch' | 'branch'>): string {
  return branch === '' ? epoch : `${epoch}-${branch}`;
}
