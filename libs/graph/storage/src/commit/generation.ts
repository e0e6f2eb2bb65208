import { Memtable } from '../memtable/memtable.ts';

/** What one flush makes durable in sorted form: some log files, and their records in memory. */
export class Generation {
  readonly memtable = new Memtable();
  /** The numbers of its log files, ascending. */
  readonly walNumbers: number[] = [];
  /** Bytes of its log files, frames under way included. */
  walBytes = 0;
  /** Nothing is written to its files any more. */
  isComplete = false;
}
