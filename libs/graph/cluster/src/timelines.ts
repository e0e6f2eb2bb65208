/**
 * The timelines on which this process has seen a store. A promotion begins a higher one, so that an old
 * primary is recognized by its lower one. Timelines are comparable within one database cluster and one epoch.
 * A restart forgets them, so that an operator can return to a lower one on purpose (ADR 0245).
 */
import { codeOf } from './sql-error.ts';

/** Where a host is in the history of its cluster. */
export interface Place {
  readonly timeline: number;
  /** System identifier of the cluster; empty if the server does not report it. */
  readonly system: string;
  /** Epoch of the store; undefined if there is none. */
  readonly epoch: string | undefined;
}

/** An open connection to a host of the cluster. */
interface Server {
  query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

const HEX = 16;
const TIMELINE_DIGITS = 8;

export class Timelines {
  readonly #schema: string;
  /** The highest timeline seen, by cluster and epoch. */
  readonly #highest = new Map<string, number>();

  /** `schema` is the quoted name of the schema with the tables of the store. */
  constructor(schema: string) {
    this.#schema = schema;
  }

  /** Undefined if the server does not show its timeline. */
  async placeOf(server: Server): Promise<Place | undefined> {
    const place = await placeOf(server);
    if (place === undefined) return undefined;
    const epoch = await shown(server, `SELECT epoch AS shown FROM ${this.#schema}.head`);
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

/** Asks a host for its place; the epoch is not read. */
export async function placeOf(server: Server): Promise<Place | undefined> {
  // Unlike the last checkpoint's, this timeline is the current one from the promotion on.
  const file = await shown(server, 'SELECT pg_walfile_name(pg_current_wal_lsn()) AS shown');
  const timeline = Number.parseInt(file?.slice(0, TIMELINE_DIGITS) ?? '', HEX);
  if (Number.isNaN(timeline)) return undefined;
  const system = await shown(server, 'SELECT system_identifier::text AS shown FROM pg_control_system()');
  return { timeline, system: system ?? '', epoch: undefined };
}

/** Whether a host is further in the history of the same cluster. */
export function isLater(place: Place | undefined, other: Place | undefined): boolean {
  if (place === undefined || other === undefined || place.system !== other.system) return false;
  return place.timeline > other.timeline;
}

/** Differs for every promotion and every cluster. */
export function placeName({ system, timeline }: Place): string {
  return `${system} ${String(timeline)}`;
}

function keyOf({ system, epoch = '' }: Place): string {
  return `${system} ${epoch}`;
}

/** Undefined where the server lacks the function or table, or this user a right. */
async function shown(server: Server, sql: string): Promise<string | undefined> {
  try {
    const [row] = await server.query(sql);
    return row === undefined ? undefined : String(row['shown']);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
