/** One client: its bytes, and its requests one after another. */
import type { Socket } from 'node:net';
import type { PropertyGraph, Value } from '#graph/cypher';
import type { Log } from '#platform/observability';
import { type Failure, failureOf } from '../failure/failure.ts';
import { readRequest } from '../message/request.ts';
import { REQUEST } from '../message/tags.ts';
import { MalformedMessage, Unpacker } from '../packstream/unpacker.ts';
import type { RowSink } from '../session/result-stream.ts';
import { Session, type SessionParts } from '../session/session.ts';
import { readStructure } from '../value/structure-reader.ts';
import { Dechunker } from '../wire/dechunker.ts';
import { type BoltVersion, type Handshake, readChoice, readHello } from '../wire/handshake.ts';
import { ReplyWriter } from '../wire/reply-writer.ts';
import type { BoltLimits } from './bolt-limits.ts';
import type { BoltMetrics } from './bolt-metrics.ts';

type SharedParts = Pick<SessionParts, 'transactions' | 'routing' | 'admits' | 'serverAgent'>;

export interface BoltConnectionParts {
  readonly id: string;
  readonly socket: Socket;
  readonly session: SharedParts;
  readonly limits: BoltLimits;
  readonly metrics: BoltMetrics;
  readonly log: Log;
}

/** Replies of this size are sent before the next one is written. */
const FLUSH_BYTES = 64 * 1024;
/** Requests that wait: more are not read until some are answered. */
const QUEUE_MAX = 128;
const KEEP_ALIVE_MS = 30_000;
/** Time for a client to close after the last reply. */
const LINGER_MS = 5_000;

/** A request that has arrived. RESET has told its effect already when it arrived. */
interface Arrived {
  readonly message: Buffer;
  readonly isReset: boolean;
}

export class BoltConnection implements RowSink {
  readonly #parts: BoltConnectionParts;
  readonly #queue: Arrived[] = [];
  #queuedBytes = 0;
  /** Resets that have arrived and are not answered: what came before them is ignored. */
  #resets = 0;
  #opening: Buffer | undefined = Buffer.alloc(0);
  #isChoosing = false;
  #messages: Dechunker | undefined;
  #replies: ReplyWriter | undefined;
  #session: Session | undefined;
  #isAnswering = false;
  #isClosing = false;
  #room: PromiseWithResolvers<undefined> | undefined;
  #stall: NodeJS.Timeout | undefined;
  #admission: NodeJS.Timeout | undefined;

  constructor(parts: BoltConnectionParts) {
    this.#parts = parts;
    const { socket } = parts;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.on('data', (data: Buffer) => this.#receive(data));
    socket.on('drain', () => this.#drained());
    socket.on('error', () => undefined);
    socket.on('end', () => socket.destroy());
    socket.once('close', () => this.#closed());
    this.#awaitAdmission();
  }

  /** Lets a statement or transaction that is open come to its end, then closes. */
  drain(): void {
    this.#isClosing = true;
    if (!this.#isAnswering && this.#queue.length === 0 && this.#session?.isIdle !== false) this.#hangUp();
  }

  destroy(): void {
    this.#parts.socket.destroy();
  }

  record(row: readonly Value[], graph: PropertyGraph): void {
    this.#replies?.record(row, graph);
    this.#parts.metrics.sent();
  }

  room(): Promise<void> | undefined {
    if ((this.#replies?.length ?? 0) >= FLUSH_BYTES) this.#flush();
    return this.#room?.promise;
  }

  #receive(data: Buffer): void {
    try {
      if (this.#opening === undefined) this.#messages?.take(data);
      else this.#shakeHands(Buffer.concat([this.#opening, data]));
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      this.#refuseBytes(error);
    }
  }

  /** What comes after bytes that cannot be read has no meaning: the client is told so, and that is all. */
  #refuseBytes(error: MalformedMessage): void {
    const { socket } = this.#parts;
    // What else arrives is read and dropped: a reset would overtake the reply.
    socket.removeAllListeners('data').resume();
    this.#session?.interrupt();
    this.#queue.length = 0;
    this.#fail(failureOf(error));
  }

  #shakeHands(bytes: Buffer): void {
    const step = this.#isChoosing ? readChoice(bytes) : readHello(bytes);
    switch (step.kind) {
      case 'incomplete':
        this.#opening = bytes;
        return;
      case 'refused':
        this.#parts.metrics.refused('version');
        this.#parts.socket.end(step.reply);
        return;
      case 'manifest':
        this.#isChoosing = true;
        this.#parts.socket.write(step.reply);
        this.#opening = Buffer.alloc(0);
        if (bytes.length > step.bytes) this.#shakeHands(bytes.subarray(step.bytes));
        return;
      case 'agreed':
        this.#agree(step);
        this.#messages?.take(bytes.subarray(step.bytes));
    }
  }

  #agree({ version, reply, isByManifest }: Extract<Handshake, { readonly kind: 'agreed' }>): void {
    const { socket, limits } = this.#parts;
    if (reply.length > 0) socket.write(reply);
    this.#opening = undefined;
    this.#replies = new ReplyWriter(version);
    this.#messages = new Dechunker(limits.strangerBytesMax, (message) => this.#arrived(message));
    this.#session = this.#openSession(version, isByManifest, this.#replies);
  }

  #openSession(version: BoltVersion, isByManifest: boolean, replies: ReplyWriter): Session {
    const { id, limits, session } = this.#parts;
    return new Session({
      ...session,
      id,
      version,
      isByManifest,
      replies,
      sink: this,
      timeoutMs: limits.transactionMs,
      onAdmitted: (isAdmitted) => {
        if (this.#messages !== undefined)
          this.#messages.bytesMax = isAdmitted ? limits.messageBytesMax : limits.strangerBytesMax;
        if (isAdmitted) clearTimeout(this.#admission);
        else this.#awaitAdmission();
      },
    });
  }

  #arrived(message: Buffer): void {
    const tag = message[1];
    if (tag === REQUEST.goodbye) {
      this.destroy();
      return;
    }
    const isReset = tag === REQUEST.reset;
    if (isReset) {
      this.#resets++;
      this.#session?.interrupt();
      this.#release();
    }
    this.#queue.push({ message, isReset });
    this.#queuedBytes += message.length;
    if (this.#isFull) this.#parts.socket.pause();
    if (!this.#isAnswering) void this.#answerAll();
  }

  get #isFull(): boolean {
    return this.#queue.length >= QUEUE_MAX || this.#queuedBytes > this.#parts.limits.messageBytesMax;
  }

  async #answerAll(): Promise<void> {
    this.#isAnswering = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      this.#queuedBytes -= next.message.length;
      if (next.isReset) this.#resets--;
      await this.#answer(next.message);
      if (this.#parts.socket.destroyed) return;
      if (this.#queue.length === 0) this.#flush();
      await this.room()?.catch(() => undefined);
      if (!this.#isFull) this.#parts.socket.resume();
    }
    this.#isAnswering = false;
    if (this.#isClosing) this.drain();
  }

  async #answer(message: Buffer): Promise<void> {
    const [session, replies] = [this.#session, this.#replies];
    if (session === undefined || replies === undefined) return;
    const isReset = message[1] === REQUEST.reset;
    if (this.#resets > 0 || (session.hasFailed && !isReset)) {
      replies.ignored();
      return;
    }
    try {
      const request = readRequest(new Unpacker(message, readStructure).message());
      await session.answer(request);
      this.#parts.metrics.answered(request.kind);
    } catch (error) {
      session.fail();
      // A statement that RESET has stopped has not failed.
      if (this.#resets > 0) replies.ignored();
      else this.#report(error);
    }
  }

  #report(error: unknown): void {
    const { log, id, socket } = this.#parts;
    if (socket.destroyed) return;
    const failure = failureOf(error);
    if (!failure.isExpected)
      log.error({ event: 'bolt.failed', connection: id, err: error }, 'request failed');
    this.#fail(failure);
  }

  #fail(failure: Failure): void {
    const { metrics } = this.#parts;
    metrics.failed(failure.code);
    if (failure.code === 'Neo.ClientError.Security.Unauthorized') metrics.refused('credentials');
    this.#replies?.failure(failure);
    if (failure.isFatal) this.#hangUp();
  }

  #flush(): void {
    const { socket, limits } = this.#parts;
    if (this.#replies === undefined || this.#replies.length === 0 || socket.destroyed) return;
    if (socket.write(this.#replies.taken()) || this.#room !== undefined) return;
    this.#room = Promise.withResolvers();
    this.#cutOffAfter(limits.stallMs);
  }

  #drained(): void {
    clearTimeout(this.#stall);
    this.#release();
  }

  /** Lets go of whoever waits for room. */
  #release(): void {
    this.#room?.resolve(undefined);
    this.#room = undefined;
  }

  /** Sends what was written, and closes; a client that does not read it, or does not close, is cut off. */
  #hangUp(): void {
    const { socket, limits } = this.#parts;
    this.#queue.length = 0;
    this.#flush();
    this.#cutOffAfter(limits.stallMs);
    socket.end(() => this.#cutOffAfter(LINGER_MS));
  }

  #cutOffAfter(ms: number): void {
    clearTimeout(this.#stall);
    this.#stall = setTimeout(() => this.destroy(), ms);
  }

  #awaitAdmission(): void {
    clearTimeout(this.#admission);
    this.#admission = setTimeout(() => this.destroy(), this.#parts.limits.admissionMs);
  }

  #closed(): void {
    clearTimeout(this.#admission);
    clearTimeout(this.#stall);
    this.#queue.length = 0;
    this.#session?.interrupt();
    this.#release();
  }
}
