/**
 * Many stages one after another. Each pulls its rows from the one before, so that a row is as many calls deep
 * as there are stages. They are cut into lines of a bounded number: where a line needs a row, it pauses, and
 * the line before is asked for one from outside. *Hot path*.
 */
import { assert } from '#platform/foundation';
import type { Rows } from '../expression/subqueries.ts';
import type { Row } from '../graph/run.ts';

/** Stages that call each other. */
export const LINE_STAGES_MAX = 256;

/** Makes the rows of a line of those that come into it. */
export type LineOfStages = (input: Rows) => Rows;

/** The rows of the last line. */
export function* relayed(lines: readonly LineOfStages[], input: Rows): Rows {
  const places = lines.map((line, at) => new Place(line, at === 0 ? input : undefined));
  const last = places.length - 1;
  try {
    for (let at = last; at <= last;) {
      const place = places[at]!;
      const { value, done } = place.rows.next();
      if (done === true) places[++at]?.end();
      else if (value !== undefined && at < last) places[++at]!.put(value);
      else if (value === undefined && place.isWaiting) at--;
      else yield value;
    }
  } finally {
    for (const { rows } of places.toReversed()) rows.return();
  }
}

/** A line, and what is between it and the one before. */
class Place {
  readonly rows: Rows;
  /** Whether it has paused for a row. */
  isWaiting = false;
  #row: Row | undefined;
  #hasEnded = false;

  constructor(line: LineOfStages, input: Rows | undefined) {
    this.rows = line(input ?? this.#input());
  }

  put(row: Row): void {
    this.#row = row;
    this.isWaiting = false;
  }

  end(): void {
    this.#hasEnded = true;
    this.isWaiting = false;
  }

  *#input(): Rows {
    while (!this.#hasEnded) {
      const row = this.#row;
      this.#row = undefined;
      assert(row !== undefined || !this.isWaiting, 'a stage passes each pause on');
      this.isWaiting = row === undefined;
      yield row;
    }
  }
}
