/**
 * The ends of this node's rounds: one at a time, each committed or dropped as a whole. Writers are answered
 * in a bounded time. The outcome of a COMMIT without an answer is read, never guessed; if it is not known in
 * time, the batches count as those of another node from then on, so that every owner of records learns of
 * them when they are taken over.
 */
import { BatchDropped, type Follower } from '#graph/storage';
import { type DomainError, pause } from '#platform/foundation';
import { isSmall, TurnLost } from './batch-table.ts';
import { DELAY_MS } from './commit-line.ts';
import type { Connection } from './connection.ts';
import type { LocalCopy } from './local-copy.ts';
import type { SharedLink } from './shared-link.ts';
import { failureOf, reasonOf, unavailable, unknownOutcome } from './sql-error.ts';
import type { WriteRound } from './write-round.ts';

/** How long a writer waits for its answer. */
const ANSWER_MS = 8_000;
/** The same after its work, if that took most of the time; large batches take their time. */
const END_MS = 1_500;
const BYTES_PER_MS = 1_024;
const RETRY_MS = 500;
/** How long after its COMMIT a round that others have confirmed may be without an answer of its own. */
const ANSWERED_MS = 250;

export interface RoundCommitsOptions {
  readonly link: SharedLink;
  readonly copy: LocalCopy;
  readonly follower: () => Follower | undefined;
  readonly onCommit: ((batches: number, bytes: number) => void) | undefined;
}

/** How long a writer that came then, and whose work has ended now, waits for its answer. */
function answerInMs(sinceMs: number, bytes: number): number {
  return Math.max(sinceMs + ANSWER_MS - performance.now(), END_MS + bytes / BYTES_PER_MS);
}

/** Settles as `durable` does, or rejects at the end of the time of a writer of this round. */
export async function inTime(
  durable: Promise<void>,
  sinceMs: number,
  round: WriteRound | undefined,
): Promise<void> {
  const late = Promise.withResolvers<never>();
  const giveUp = (): void => {
    if (round !== undefined) round.isDoubted = true;
    late.reject(unknownOutcome());
  };
  // After a pause of this process, an answer that has arrived meanwhile is read first.
  const timer = setTimeout(() => setImmediate(giveUp), answerInMs(sinceMs, round?.bytes ?? 0));
  try {
    await Promise.race([durable, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

export class RoundCommits {
  /** The answer to the writers of the last COMMIT whose outcome is not known yet. */
  doubt: DomainError | undefined;
  /** Why the last write failed. */
  refusal: string | undefined;
  readonly #options: RoundCommitsOptions;
  #round: WriteRound | undefined;
  #ended: Promise<void> = Promise.resolve();
  #cleared: Promise<void> = Promise.resolve();

  constructor(options: RoundCommitsOptions) {
    this.#options = options;
  }

  /** The round that was begun, while its outcome is open. */
  get pending(): WriteRound | undefined {
    return this.#round?.outcome === 'pending' ? this.#round : undefined;
  }

  /** Time for which a COMMIT has had no answer; 0 if none is pending. */
  get waitingMs(): number {
    const committedMs = this.#round?.committedMs;
    return committedMs === undefined ? 0 : performance.now() - committedMs;
  }

  /** That it takes so long that writes may fail. */
  get delay(): string | undefined {
    return this.waitingMs > DELAY_MS ? 'the database does not end a COMMIT' : undefined;
  }

  /** Resolves when the last round has ended. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /**
   * Resolves when another round may begin: not while the database confirms no commits, since each would leave
   * batches in the log whose writers have to repeat them.
   */
  async ready(): Promise<void> {
    await this.#ended;
    await this.#cleared;
  }

  /** Commits a round; the one before has ended. */
  begin(round: WriteRound): void {
    round.close();
    this.#round = round;
    this.#ended = this.#end(round).finally(() => {
      this.#round = undefined;
      // Nobody was told of what others published meanwhile.
      const { link, copy, follower } = this.#options;
      if (link.published > copy.confirmed.seq) follower()?.news();
    });
  }

  /**
   * Batches were published after the last one before the round: its turn was lost, or others have built upon
   * it, and its answer may be on the way, or lost. What became of it is final, and read on another
   * connection.
   */
  async settle(round: WriteRound | undefined, connection: Connection): Promise<void> {
    if (round === undefined) return;
    if (await this.#isAnswered(round)) return;
    const { last } = round;
    const { table } = this.#options.link;
    const isKept = last !== undefined && (await table.head(connection, last.seq)).id === last.id;
    if (round.outcome !== 'pending') return;
    if (isKept) this.#take(round);
    else this.#drop(round, new BatchDropped());
    round.close();
    round.over.abort();
    this.#options.link.lost(round.connection);
    if (isKept) round.settled.resolve();
  }

  /** Waits for the answer to a COMMIT, which must have come by now. */
  async #isAnswered(round: WriteRound): Promise<boolean> {
    if (round.committedMs === undefined) return false;
    const answered = new AbortController();
    const waited = pause(Math.max(0, ANSWERED_MS - this.waitingMs), answered.signal);
    await Promise.race([round.settled.promise.catch(() => undefined), waited]);
    answered.abort();
    return round.outcome !== 'pending';
  }

  async #end(round: WriteRound): Promise<void> {
    const { connection, batches } = round;
    const late = setTimeout(
      () => {
        // After a pause of this process, an answer that has arrived meanwhile is read first.
        setImmediate(() => {
          this.#late(round);
        });
      },
      answerInMs(round.sinceMs, round.bytes),
    );
    try {
      // Larger ones before the COMMIT, smaller ones with it.
      const isSent = !isSmall(round.bytes);
      if (isSent) await this.#options.link.table.append(connection, batches, round.baseSeq);
      round.committedMs = performance.now();
      if (await this.#isCommitted(round, isSent)) this.#keep(round);
    } catch (error) {
      this.#drop(round, error);
    } finally {
      clearTimeout(late);
    }
  }

  /** Returns false if the round was dropped, or is over. */
  async #isCommitted(round: WriteRound, isSent: boolean): Promise<boolean> {
    const { connection, batches, last } = round;
    const { link } = this.#options;
    try {
      if (last === undefined) await this.#leave(round);
      else if (isSent) await link.table.commit(connection);
      else await link.table.appendAndCommit(connection, batches, round.baseSeq);
      return true;
    } catch (error) {
      link.lost(connection);
      if (round.outcome !== 'pending') return false;
      const isUnknown = failureOf(error) === 'away' && !(error instanceof TurnLost);
      const isKept = isUnknown && last !== undefined && (await link.isKept(last, round.over.signal));
      if (!isKept) this.#drop(round, error);
      return isKept;
    }
  }

  /** Ends the turn of a round without batches. */
  async #leave({ connection, isConfirmed }: WriteRound): Promise<void> {
    await connection.query('ROLLBACK');
    if (!isConfirmed) await this.#options.link.table.confirm(connection);
  }

  /** The time of the first writer of a round is over. */
  #late(round: WriteRound): void {
    if (this.#round !== round) return;
    this.#options.link.giveUp(round.connection);
    round.over.abort();
    if (round.outcome !== 'pending') return;
    if (round.committedMs === undefined) {
      this.#drop(round, new BatchDropped());
      return;
    }
    round.outcome = 'unknown';
    const doubt = unknownOutcome();
    this.doubt = doubt;
    this.#cleared = this.#clear(doubt);
    this.#options.follower()?.discard(round.baseSeq);
    round.settled.reject(doubt);
  }

  /** The round was committed, and with it everything before it is confirmed. */
  #take(round: WriteRound): void {
    if (round.outcome !== 'pending') return;
    round.outcome = 'kept';
    const { copy, link, onCommit } = this.#options;
    copy.add(round.batches, link.history);
    copy.confirm(round.seq);
    if (round.last === undefined) {
      // Nobody may wait for this round: the earlier batches that it confirms are shown now.
      if (!round.isConfirmed) this.#options.follower()?.news();
      return;
    }
    link.applied(copy.seq);
    this.refusal = undefined;
    onCommit?.(round.batches.length, round.bytes);
  }

  #keep(round: WriteRound): void {
    this.#take(round);
    if (round.outcome !== 'kept') return;
    if (round.last !== undefined) this.#options.link.publication.note(round.last);
    round.settled.resolve();
  }

  /** No batch of the round was committed, and none will be. */
  #drop(round: WriteRound, error: unknown): void {
    this.#options.link.lost(round.connection);
    if (round.outcome !== 'pending') return;
    round.outcome = 'dropped';
    this.#options.follower()?.discard(round.baseSeq);
    if (failureOf(error) !== 'refused') {
      round.settled.reject(new BatchDropped());
      return;
    }
    const refused = unavailable(reasonOf(error), error);
    this.refusal = refused.message;
    round.settled.reject(refused);
  }

  /**
   * Once another transaction can have the row lock, the outcome is final; once commits are confirmed, other
   * writes are possible.
   */
  async #clear(doubt: DomainError): Promise<void> {
    const { link } = this.#options;
    while (this.doubt === doubt && !link.isClosed) {
      await pause(RETRY_MS);
      const isFree = await link.commits.ask(async (connection) => {
        if ((await link.table.lockHeadNow(connection)) === undefined) return false;
        await connection.query('ROLLBACK');
        await link.table.confirm(connection);
        return true;
      });
      if (isFree === true && this.doubt === doubt) this.doubt = undefined;
    }
  }
}
