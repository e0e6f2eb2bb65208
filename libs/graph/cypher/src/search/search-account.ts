import type { ExecutionContext } from '#graph/execution';
import type { Run } from '../graph/run.ts';
import { WORK_PER_STEP } from '../graph/set-search.ts';

const BYTES_PER_VALUE = 40;

/** Memory and work of a search are those of its statement. */
export class SearchAccount {
  readonly context: ExecutionContext;
  readonly run: Run;
  #heldBytes = 0;

  constructor(context: ExecutionContext, run: Run) {
    this.context = context;
    this.run = run;
  }

  /** To be asked after each step of the search. */
  isPauseDue(): boolean {
    const { heldBytes } = this.context;
    this.run.hold((heldBytes - this.#heldBytes) / BYTES_PER_VALUE);
    this.#heldBytes = heldBytes;
    this.run.tick(WORK_PER_STEP);
    return this.run.isPauseDue();
  }
}
