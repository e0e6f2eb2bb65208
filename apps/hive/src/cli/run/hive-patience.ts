import { DomainError, pause } from '#platform/foundation';
import { HiveSilent } from './hive-http.ts';
import type { LiveLine } from './live-line.ts';

const RETRY_MS = 500;
const MS_PER_S = 1_000;

/**
 * Retries requests to an unresponsive hive, such as during a restart, up to a time limit for each request.
 */
export class HivePatience {
  readonly #line: LiveLine;
  #patienceMs: number;

  constructor(line: LiveLine, patienceMs: number) {
    this.#line = line;
    this.#patienceMs = patienceMs;
  }

  /** Stops waiting for an unresponsive hive: the user has interrupted the command. */
  end(): void {
    this.#patienceMs = 0;
  }

  /** Retries until the hive responds. Throws STORE_UNAVAILABLE after the time limit. */
  async ask<Answer>(runId: string, question: () => Promise<Answer>): Promise<Answer> {
    const sinceMs = performance.now();
    for (;;) {
      try {
        return await question();
      } catch (error) {
        if (!(error instanceof HiveSilent)) throw error;
        if (performance.now() - sinceMs >= this.#patienceMs) throw this.#givenUp(runId, error);
        this.#line.say(`the hive does not respond: retrying for ${this.#patienceMs / MS_PER_S} s`);
        await pause(RETRY_MS);
      }
    }
  }

  #givenUp(runId: string, cause: HiveSilent): DomainError {
    const forHow = this.#patienceMs === 0 ? '' : ` for ${this.#patienceMs / MS_PER_S} s`;
    const message = `no response from the hive${forHow}; run ${runId} may still be in progress`;
    return new DomainError('STORE_UNAVAILABLE', message, { cause });
  }
}
