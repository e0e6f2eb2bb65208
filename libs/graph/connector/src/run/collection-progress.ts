import { Collected } from './collected.ts';

const WARNINGS_MAX = 100;

/** How far a run has come: what its steps emitted, and what they warned of. */
export class CollectionProgress {
  /** Of the steps that are done. */
  readonly collected = new Collected();
  readonly #onChange: () => void;
  readonly #warnings: string[] = [];
  #warningCount = 0;

  /** `onChange` is called at every change of the run or of one of its steps. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The first ones. */
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
