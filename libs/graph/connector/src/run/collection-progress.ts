import { Collected } from './collected.ts';

const WARNINGS_MAX = 100;

/** The progress of a run: the emits and warnings of its steps. */
export class CollectionProgress {
  /** Emits of the finished steps. */
  readonly collected = new Collected();
  readonly #onChange: () => void;
  readonly #warnings: string[] = [];
  #warningCount = 0;

  /** `onChange` is called at every change of the run or of one of its steps. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The first warnings. */
  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  get warningCount(): number {
    return this.#warningCount;
  }

  warn(stepId: string, message: string): void {
    this.#warningCount++;
    if (this.#warnings.length < WARNINGS_MAX) this.#warnings.push(`${stepId}: ${message}`);
  }

  changed(): void {
    this.#onChange();
  }
}
