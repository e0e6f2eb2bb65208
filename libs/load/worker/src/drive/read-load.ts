/**
 * Reads beside the load, each at a constant rate that does not depend on the answers: a latency counts from
 * the time at which a read was due. A read that finds no connection then is not sent. Nothing judges the
 * answers.
 */
import type { EventBuffer } from '#load/telemetry';
import type { MicroClock } from '#platform/foundation';
import type { RpcConnectionPool } from '../rpc/rpc-connection-pool.ts';
import type { Sendable, SendListener } from '../rpc/rpc-connection.ts';
import type { RpcReply } from '../rpc/rpc-reply.ts';
import type { ReadRequests } from './read-requests.ts';

interface StageNow {
  readonly index: number;
  readonly isExcluded: boolean;
}

/** A read on its way. */
export interface OpenRead extends Sendable {
  readonly read: number;
  readonly dueUs: number;
  readonly stage: StageNow;
  sentUs: number | null;
}

export interface ReadLoadOptions {
  readonly requests: ReadRequests;
  readonly connections: RpcConnectionPool<OpenRead>;
  readonly events: EventBuffer;
  readonly clock: MicroClock;
  /** The stage of the load now, and whether it is excluded from the measured figures. */
  readonly stage: () => StageNow;
}

const TICK_MS = 5;
const US_A_SECOND = 1_000_000;
/** Reads of one entry that are sent in a turn; the rest follows in the next one. */
const READS_A_TURN = 64;
const NOTHING = new Uint8Array(0);

export class ReadLoad implements SendListener<OpenRead> {
  readonly #options: ReadLoadOptions;
  /** When the next read of each entry is due. */
  readonly #nextUs: number[];
  #timer: NodeJS.Timeout | undefined;
  #id = 0;
  #unanswered = 0;

  constructor(options: ReadLoadOptions) {
    this.#options = options;
    this.#nextUs = options.requests.plans.map(() => Infinity);
    options.connections.listen(this);
  }

  /** The number of sent reads without an answer. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** Begins at this time. The reads are spread: the first of an entry is due after a part of its distance. */
  start(startUs: number): void {
    const { plans } = this.#options.requests;
    for (const [at, { rate }] of plans.entries()) {
      const distanceUs = US_A_SECOND / rate;
      this.#nextUs[at] = rate > 0 ? startUs + ((at + 1) / (plans.length + 1)) * distanceUs : Infinity;
    }
    this.#timer = setInterval(() => {
      this.#tick();
    }, TICK_MS);
  }

  /** Sends what is due, and no more; answers are still awaited. */
  stop(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#tick(Infinity);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#options.connections.close();
  }

  onStart(open: OpenRead): void {
    open.sentUs = this.#options.clock.nowUs();
  }

  onReply(open: OpenRead, reply: RpcReply): void {
    this.#unanswered--;
    this.#record(open, reply.isFine ? 'answered' : 'failed', reply.isFine ? null : reply.failure);
  }

  #tick(most = READS_A_TURN): void {
    const nowUs = this.#options.clock.nowUs();
    for (const [read, { rate }] of this.#options.requests.plans.entries()) {
      for (let sends = 0; sends < most && (this.#nextUs[read] ?? Infinity) <= nowUs; sends++) {
        const dueUs = this.#nextUs[read] ?? nowUs;
        this.#nextUs[read] = dueUs + US_A_SECOND / rate;
        this.#send(read, Math.round(dueUs));
      }
    }
  }

  #send(read: number, dueUs: number): void {
    const { connections, requests, stage } = this.#options;
    const id = ++this.#id;
    const place = { id, read, dueUs, stage: stage(), sentUs: null };
    if (!connections.hasRoom) {
      this.#record({ ...place, body: NOTHING }, 'not_sent', 'no_connection');
      return;
    }
    this.#unanswered++;
    connections.send({ ...place, body: requests.body(read, id) });
  }

  #record(open: OpenRead, outcome: 'answered' | 'failed' | 'not_sent', error: string | null): void {
    const { clock, events, requests } = this.#options;
    events.record('reads', {
      name: requests.nameOf(open.read),
      method: requests.methodOf(open.read),
      stage: open.stage.index,
      is_excluded: open.stage.isExcluded,
      intended_us: open.dueUs,
      sent_us: open.sentUs,
      answered_us: outcome === 'not_sent' ? null : clock.nowUs(),
      outcome,
      error_class: error,
    });
  }
}
