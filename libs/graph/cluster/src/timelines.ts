/**
 * The timelines on which this process has seen a store. A promotion begins a higher one, so that an old primary
 * is recognized by its lower timeline. Timelines are comparable within one database cluster and one epoch.
 */
import type { Connection } from './connection.ts';
import { quoted } from './schema.ts';
import { codeOf } from './sql-error.ts';

/** Where a host is in the history of its cluster. */
export interface Place {
  readonly timeline: number;
  /** System identifier of the cluster; empty if the server does not report it. */
  readonly system: string;
  /** Of the store; undefined if there is none. */
  readonly epoch: string | undefined;
}

const HEX = 16;
const TIMELINE_DIGITS = 8;

export class Timelines {
  readonly #schema: string;
  /** By cluster and epoch. */
  readonly #highest = new Map<string, number>();

  constructor(schema: string) {
    this.#schema = schema;
  }

  /** Undefined if the server does not show its timeline. */
  async placeOf(connection: Connection): Promise<Place | undefined> {
    const place = await placeOf(connection);
    if (place === undefined) return undefined;
    const epoch = await shown(connection, `SELECT epoch AS shown FROM ${quoted(this.#schema)}.head`);
    return { ...place, epoch };
  }

  /** Why a host in this place must not be used; undefined if it may be. */
  refusalOf(place: Place | undefined): string | undefined {
    if (place === undefined) return undefined;
    const highest = this.#highest.get(keyOf(place)) ?? 0;
    if (place.timeline >= highest) return undefined;
    return `is on timeline ${String(place.timeline)}, ${String(highest)} was seen`;
  }

  /** Remembers a place that is used. */
  note(place: Place | undefined): void {
    if (place?.epoch === undefined || this.refusalOf(place) !== undefined) return;
    this.#highest.set(keyOf(place), place.timeline);
  }
}

/** Without the epoch. */
export async function placeOf(connection: Connection): Promise<Place | undefined> {
  // Unlike the last checkpoint's, this timeline is the current one from the promotion on.
  const file = await shown(connection, 'SELECT pg_walfile_name(pg_current_wal_lsn()) AS shown');
  const timeline = Number.parseInt(file?.slice(0, TIMELINE_DIGITS) ?? '', HEX);
  if (Number.isNaN(timeline)) return undefined;
  const system = await shown(connection, 'SELECT system_identifier::text AS shown FROM pg_control_system()');
  return { timeline, system: system ?? '', epoch: undefined };
}

/** Whether a host is further in the history of the same cluster. */
export function isLater(place: Place | undefined, other: Place | undefined): boolean {
  if (place === undefined || other === undefined || place.system !== other.system) return false;
  return place.timeline > other.timeline;
}

function keyOf({ system, epoch = '' }: Place): string {
  return `${system} ${epoch}`;
}

/** Undefined where the server lacks the function or table, or this user a right. */
async function shown(connection: Connection, sql: string): Promise<string | undefined> {
  try {
    const [row] = await connection.query(sql);
    return row === undefined ? undefined : String(row['shown']);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
