/** One client: its bytes, and its requests one after another. */
import type { Socket } from 'node:net';
import type { PropertyGraph, Value } from '#graph/cypher';
import type { AuditTrail } from '#platform/audit';
import type { Log } from '#platform/observability';
import { BoltFault } from '../failure/bolt-fault.ts';
import { failureOf } from '../failure/failure.ts';
import { readRequest } from '../message/request.ts';
import { REQUEST } from '../message/tags.ts';
import { MalformedMessage, Unpacker } from '../packstream/unpacker.ts';
import type { RowSink } from '../session/result-stream.ts';
import { Session, type SessionParts } from '../session/session.ts';
import { readStructure } from '../value/structure-reader.ts';
import { Dechunker } from '../wire/dechunker.ts';
import { type Handshake, readChoice, readHello } from '../wire/handshake.ts';
import { ReplyWriter } from '../wire/reply-writer.ts';
import type { BoltLimits } from './bolt-limits.ts';
import type { BoltMetrics } from './bolt-metrics.ts';
import type { HeldBytes } from './held-bytes.ts';
import { Outlet } from './outlet.ts';

type SharedParts = Pick<SessionParts, 'transactions' | 'routing' | 'admission' | 'serverAgent'>;

export interface BoltConnectionParts {
  readonly id: string;
  readonly socket: Socket;
  readonly session: SharedParts;
  readonly limits: BoltLimits;
  readonly held: HeldBytes;
  readonly metrics: BoltMetrics;
  readonly audit: Pick<AuditTrail, 'refusal'> | undefined;
  readonly log: Log;
}

/** Replies of this size are sent before the next one is written. */
const FLUSH_BYTES = 64 * 1024;
/** Requests that wait: more are not read until some are answered. */
const QUEUE_MAX = 128;
const KEEP_ALIVE_MS = 30_000;

/** What exists once a version is agreed on. */
interface Talk {
  readonly messages: Dechunker;
  readonly replies: ReplyWriter;
  readonly session: Session;
}

export class BoltConnection implements RowSink {
  readonly #parts: BoltConnectionParts;
  readonly #outlet: Outlet;
  readonly #queue: Buffer[] = [];
  #queuedBytes = 0;
  /** What `held` counts for this connection. */
  #heldBytes = 0;
  /** Resets that have arrived and are not answered: what came before them is ignored. */
  #resets = 0;
  #opening: Buffer = Buffer.alloc(0);
  #isChoosing = false;
  #talk: Talk | undefined;
  #isAnswering = false;
  #isDraining = false;
  #admission: NodeJS.Timeout | undefined;

  constructor(parts: BoltConnectionParts) {
    this.#parts = parts;
    const { socket, limits } = parts;
    this.#outlet = new Outlet(socket, limits.stallMs);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.on('data', (data: Buffer) => this.#receive(data));
    socket.on('error', () => undefined);
    socket.on('end', () => socket.destroy());
    socket.once('close', () => this.#closed());
    this.#awaitAdmission();
  }

  /** Lets a statement or transaction that is open come to its end, then closes. */
  drain(): void {
    this.#isDraining = true;
    if (!this.#isAnswering && this.#queue.length === 0 && this.#talk?.session.isIdle !== false) this.#end();
  }

  destroy(): void {
    this.#parts.socket.destroy();
  }

  record(row: readonly Value[], graph: PropertyGraph): void {
    this.#talk?.replies.record(row, graph);
    this.#parts.metrics.sent();
  }

  packed(row: readonly Value[], graph: PropertyGraph): Buffer {
    return this.#talk?.replies.packed(row, graph) ?? Buffer.alloc(0);
  }

  sendPacked(record: Buffer): void {
    this.#talk?.replies.sendPacked(record);
    this.#parts.metrics.sent();
  }

  room(): Promise<undefined> | undefined {
    if ((this.#talk?.replies.length ?? 0) >= FLUSH_BYTES) this.#flush();
    return this.#outlet.room();
  }

  #receive(data: Buffer): void {
    // A reset would overtake the last reply if what else arrives were not read.
    if (this.#outlet.hasEnded) return;
    try {
      if (this.#talk === undefined) this.#shakeHands(Buffer.concat([this.#opening, data]));
      else this.#talk.messages.take(data);
      this.#countHeld();
    } catch (error) {
      if (!(error instanceof MalformedMessage || error instanceof BoltFault)) throw error;
      // What comes after bytes that cannot be read has no meaning.
      this.#talk?.session.interrupt();
      this.#report(error);
      this.#end();
    }
  }

  #countHeld(): void {
    const before = this.#heldBytes;
    this.#heldBytes = this.#queuedBytes + (this.#talk?.messages.held ?? 0);
    this.#parts.held.change(before, this.#heldBytes);
  }

  #shakeHands(bytes: Buffer): void {
    const step = this.#isChoosing ? readChoice(bytes) : readHello(bytes);
    this.#opening = bytes;
    if (step.kind === 'incomplete') return;
    this.#outlet.write(step.reply);
    switch (step.kind) {
      case 'refused':
        this.#parts.metrics.refused('version');
        this.#end();
        return;
      case 'manifest':
        this.#isChoosing = true;
        this.#opening = Buffer.alloc(0);
        if (bytes.length > step.bytes) this.#shakeHands(bytes.subarray(step.bytes));
        return;
      case 'agreed':
        this.#opening = Buffer.alloc(0);
        this.#talk = this.#begin(step);
        this.#talk.messages.take(bytes.subarray(step.bytes));
    }
  }

  #begin({ version, isByManifest }: Extract<Handshake, { readonly kind: 'agreed' }>): Talk {
    const { id, limits, session } = this.#parts;
    const replies = new ReplyWriter(version);
    const messages = new Dechunker(limits.strangerBytesMax, (message) => this.#arrived(message));
    const onAdmitted = (isAdmitted: boolean): void => {
      messages.bytesMax = isAdmitted ? limits.messageBytesMax : limits.strangerBytesMax;
      if (isAdmitted) clearTimeout(this.#admission);
      else this.#awaitAdmission();
    };
    return {
      messages,
      replies,
      session: new Session({
        ...session,
        id,
        peer: this.#parts.socket.remoteAddress ?? 'Bolt',
        version,
        isByManifest,
        replies,
        onAdmitted,
        onKeyEnded: () => this.drain(),
        sink: this,
        timeoutMs: limits.transactionMs,
      }),
    };
  }

  #arrived(message: Buffer): void {
    if (this.#outlet.hasEnded) return;
    if (message[1] === REQUEST.goodbye) {
      this.destroy();
      return;
    }
    if (isReset(message)) {
      this.#resets++;
      this.#talk?.session.interrupt();
      this.#outlet.wake();
    }
    this.#queue.push(message);
    this.#queuedBytes += message.length;
    if (this.#isFull) this.#parts.socket.pause();
    if (!this.#isAnswering) void this.#answerAll();
  }

  get #isFull(): boolean {
    return this.#queue.length >= QUEUE_MAX || this.#queuedBytes > this.#parts.limits.messageBytesMax;
  }

  async #answerAll(): Promise<void> {
    const { socket } = this.#parts;
    this.#isAnswering = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      this.#queuedBytes -= next.length;
      this.#countHeld();
      if (isReset(next)) this.#resets--;
      await this.#answer(next);
      if (socket.destroyed) break;
      if (this.#queue.length === 0) this.#flush();
      // Also where a reset wakes it: replies to resets that nobody reads would have no end.
      for (let room = this.room(); room !== undefined; room = this.room()) await room;
      if (!this.#isFull) socket.resume();
    }
    this.#isAnswering = false;
    if (socket.destroyed) this.#talk?.session.fail();
    else if (this.#isDraining) this.drain();
  }

  async #answer(message: Buffer): Promise<void> {
    const talk = this.#talk;
    if (talk === undefined || this.#outlet.hasEnded) return;
    const { session, replies } = talk;
    if (this.#resets > 0 || (session.hasFailed && !isReset(message))) {
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
    const { log, id, socket, metrics } = this.#parts;
    if (socket.destroyed || this.#outlet.hasEnded) return;
    const failure = failureOf(error);
    metrics.failed(failure.code);
    if (failure.code === UNAUTHORIZED) metrics.refused('credentials');
    const status = REFUSALS.get(failure.code);
    if (status !== undefined && this.#talk !== undefined)
      this.#parts.audit?.refusal(this.#talk.session.actor, status);
    if (!failure.isExpected)
      log.error({ event: 'bolt.failed', connection: id, err: error }, 'request failed');
    this.#talk?.replies.failure(failure);
    if (failure.isFatal) this.#end();
  }

  #flush(): void {
    if (this.#talk !== undefined) this.#outlet.write(this.#talk.replies.taken());
  }

  /** Sends what was written, and closes. */
  #end(): void {
    this.#flush();
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    this.#outlet.end();
    this.#parts.socket.resume();
  }

  #awaitAdmission(): void {
    clearTimeout(this.#admission);
    this.#admission = setTimeout(() => this.destroy(), this.#parts.limits.admissionMs);
  }

  #closed(): void {
    clearTimeout(this.#admission);
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    this.#parts.held.change(this.#heldBytes, 0);
    this.#heldBytes = 0;
    this.#talk?.session.leave();
  }
}

const UNAUTHORIZED = 'Neo.ClientError.Security.Unauthorized';
/** Refusals with the status that they have over REST. */
const REFUSALS: ReadonlyMap<string, number> = new Map([
  [UNAUTHORIZED, 401],
  ['Neo.ClientError.Security.Forbidden', 403],
]);

function isReset(message: Buffer): boolean {
  return message[1] === REQUEST.reset;
}
