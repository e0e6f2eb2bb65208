import { DomainError, pause } from '#platform/foundation';
import { HiveSilent } from './hive-http.ts';
import type { LiveLine } from './live-line.ts';

const RETRY_MS = 500;
const MS_PER_S = 1_000;

/** Bears with a hive that does not answer, as while it is restarted, for so long at a time. */
export class HivePatience {
  readonly #line: LiveLine;
  #patienceMs: number;

  constructor(line: LiveLine, patienceMs: number) {
    this.#line = line;
    this.#patienceMs = patienceMs;
  }

  /** Whoever watches wants to go: a hive that does not answer is not waited for. */
  end(): void {
    this.#patienceMs = 0;
  }

  /** Asks until there is an answer. Throws STORE_UNAVAILABLE when there is none in time. */
  async ask<Answer>(runId: string, question: () => Promise<Answer>): Promise<Answer> {
    const sinceMs = performance.now();
    for (;;) {
      try {
        return await question();
      } catch (error) {
        if (!(error instanceof HiveSilent)) throw error;
        if (performance.now() - sinceMs >= this.#patienceMs) throw this.#givenUp(runId, error);
        this.#line.say(`the hive does not answer: trying for ${this.#patienceMs / MS_PER_S} s`);
        await pause(RETRY_MS);
      }
    }
  }

  #givenUp(runId: string, cause: HiveSilent): DomainError {
    const forHow = this.#patienceMs === 0 ? '' : ` for ${this.#patienceMs / MS_PER_S} s`;
    const message = `the hive has not answered${forHow}; run ${runId} may go on without us`;
    return new DomainError('STORE_UNAVAILABLE', message, { cause });
  }
}
