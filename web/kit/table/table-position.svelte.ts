import type { SortOrder } from './table-data.ts';

/** Where a user is in a table, which a table that is removed and drawn again takes up. */
export class TablePosition {
  sort: SortOrder | undefined = $state.raw();
  /** The cell that the keyboard reaches, of those shown. */
  cursor = $state.raw({ row: 0, column: 0 });
  /** Pixels above what is visible. */
  scrollTop = $state(0);
}
