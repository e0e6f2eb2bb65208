import type { Cluster } from './cluster.ts';
import type { AttemptEnd } from './lease.ts';
import { type RetryPermit, wantsRetry } from './retries.ts';
import type { Target } from './target/target.ts';

const NONE: readonly Target[] = [];

/** A request's body, as far as it can be sent again. */
export interface RepeatableBody {
  /** All that was received is still kept. */
  readonly isWhole: boolean;
  /** It can be sent again after it was sent. */
  readonly isReplayable: boolean;
}

/** The failed attempts of one request or connection, and whether it may be tried again. */
export class Tries {
  readonly #cluster: Cluster;
  #tried = NONE;
  #retries = 0;
  #permit: RetryPermit | undefined;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** The targets that have failed it. */
  get tried(): readonly Target[] {
    return this.#tried;
  }

  /** Whether a request may be tried again after this end of its attempt on `target`. */
  mayRepeat(target: Target, end: AttemptEnd, method: string, body: RepeatableBody | undefined): boolean {
    if (end.outcome === 'connect_failure') return body?.isWhole !== false && this.mayConnectAgain(target);
    const isWanted = wantsRetry(this.#cluster.config.retry, end, method) && body?.isReplayable !== false;
    if (!isWanted) return false;
    this.#note(target);
    return this.#takeRetry();
  }

  /**
   * Whether to go on after `target` could not be connected. Nothing was sent, so going on to another target
   * is no retry: no limit of retries applies. Only when all have been tried, it is one.
   */
  mayConnectAgain(target: Target): boolean {
    // The attempt has tried the other addresses of the name as well.
    this.#note(target, ...target.siblings.filter((sibling) => sibling !== target));
    if (this.#cluster.config.retry?.on.connectFailure === false) return false;
    return this.#cluster.failOver(this.#tried) || this.#takeRetry();
  }

  /** The request has ended. */
  end(): void {
    this.#permit?.release();
    this.#permit = undefined;
  }

  #note(...targets: readonly Target[]): void {
    this.#tried = [...this.#tried, ...targets];
  }

  #takeRetry(): boolean {
    if (this.#retries >= (this.#cluster.config.retry?.max ?? 0)) return false;
    this.#permit?.release();
    this.#permit = this.#cluster.acquireRetry();
    if (this.#permit === undefined) return false;
    this.#retries += 1;
    return true;
  }
}
