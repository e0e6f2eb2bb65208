import type { Secret } from '#platform/foundation';
import { Collected } from './collected.ts';
import { RecordBudget } from './record-budget.ts';
import { failureMessage } from './report-text.ts';

const WARNINGS_MAX = 100;

/** The progress of a run: the emits and warnings of its steps. */
export class CollectionProgress {
  /** Emits of the finished steps. */
  readonly collected = new Collected();
  /** The budget for all emitted records, those of running steps included. */
  readonly budget: RecordBudget;
  readonly #secrets: readonly Secret[];
  /** Called at every change of the run or of one of its steps. */
  readonly #onChange: () => void;
  readonly #warnings: string[] = [];
  #warningCount = 0;

  constructor(secrets: readonly Secret[], recordBytesMax: number | undefined, onChange: () => void) {
    this.#secrets = secrets;
    this.#onChange = onChange;
    this.budget = new RecordBudget(recordBytesMax);
  }

  /** The first warnings. */
  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  get warningCount(): number {
    return this.#warningCount;
  }

  /** A module may pass anything for a text. */
  warn(stepId: string, message: unknown): void {
    this.#warningCount++;
    if (this.#warnings.length >= WARNINGS_MAX) return;
    this.#warnings.push(`${stepId}: ${this.redacted(message)}`);
  }

  /** The beginning of a text for the report, without secrets. */
  redacted(text: unknown): string {
    return failureMessage(text, this.#secrets);
  }

  changed(): void {
    this.#onChange();
  }
}
