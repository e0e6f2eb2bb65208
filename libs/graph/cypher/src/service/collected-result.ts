import type { PropertyGraph } from '../graph/property-graph.port.ts';
import type { Value } from '../value/value.ts';
import type { StatementResult, StatementSummary } from './transaction.port.ts';

export interface ResultParts {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
  readonly graph: PropertyGraph;
  readonly summary: StatementSummary;
}

/** The whole result of a statement, handed out in parts. */
export class CollectedResult implements StatementResult {
  readonly #parts: ResultParts;
  #rows: readonly (readonly Value[])[];
  #taken = 0;

  constructor(parts: ResultParts) {
    this.#parts = parts;
    this.#rows = parts.rows;
  }

  get columns(): readonly string[] {
    return this.#parts.columns;
  }

  get graph(): PropertyGraph {
    return this.#parts.graph;
  }

  get summary(): StatementSummary {
    return this.#parts.summary;
  }

  get remaining(): number {
    return this.#rows.length - this.#taken;
  }

  get hasMore(): boolean {
    return this.remaining > 0;
  }

  take(count: number): Promise<readonly (readonly Value[])[]> {
    return Promise.resolve(this.takeNow(count));
  }

  takeNow(count: number): readonly (readonly Value[])[] {
    const rows = this.#rows.slice(this.#taken, this.#taken + count);
    this.#taken += rows.length;
    return rows;
  }

  close(): void {
    this.#rows = [];
    this.#taken = 0;
  }

  /** The same, with the bookmark of its commit. */
  committed(bookmark: string): CollectedResult {
    return new CollectedResult({ ...this.#parts, summary: { ...this.summary, bookmark } });
  }
}
