import { type EventBuffer, TABLE_NAMES, type TableName } from '#load/telemetry';

/** Events that were dropped in all runs of this edge, by table. */
export class DropCounts {
  readonly #before = new Map<TableName, number>();
  #current: EventBuffer | undefined;

  /** The buffer of the run at hand. */
  follow(buffer: EventBuffer): void {
    for (const table of TABLE_NAMES) this.#before.set(table, this.of(table));
    this.#current = buffer;
  }

  of(table: TableName): number {
    return (this.#before.get(table) ?? 0) + (this.#current?.dropped[table] ?? 0);
  }
}
