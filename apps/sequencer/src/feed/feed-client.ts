import type { WebSocket } from 'ws';
import { encodeFeedFrame } from '#load/chain';
import type { FeedBacklog } from './feed-backlog.ts';

const FRAME_MESSAGES_MAX = 240;
const FRAME_CHARS_MAX = 2 ** 20;
const UNSENT_BYTES_MAX = 4 * 2 ** 20;

/**
 * One reader of the feed: a position in the backlog that advances as fast as the reader receives, so that a
 * slow reader needs no memory of its own. A reader overtaken by the end of the backlog is disconnected.
 */
export class FeedSubscriber {
  readonly #socket: WebSocket;
  readonly #backlog: FeedBacklog;
  #place: number;
  #lastHeardMs: number;

  constructor(
    socket: WebSocket,
    backlog: FeedBacklog,
    start: { readonly place: number; readonly nowMs: number },
  ) {
    this.#socket = socket;
    this.#backlog = backlog;
    this.#place = start.place;
    this.#lastHeardMs = start.nowMs;
  }

  /** Whether the whole backlog has been sent to it. */
  get isCurrent(): boolean {
    return this.#place === this.#backlog.endPlace;
  }

  heard(nowMs: number): void {
    this.#lastHeardMs = nowMs;
  }

  /** Pings the client; disconnects it after too long a silence. */
  check(nowMs: number, silenceMsMax: number): void {
    if (nowMs - this.#lastHeardMs > silenceMsMax) this.cut();
    else this.#socket.ping();
  }

  /** Sends new messages until the socket's buffer is full; continues by itself when it drains. */
  pump(): void {
    if (this.#place < this.#backlog.firstPlace) this.cut();
    while (this.#canTake()) this.#send(this.#nextFrame());
  }

  /** Sends a frame without a position in the backlog. */
  sendAside(json: string): void {
    if (this.#canSend()) this.#send(encodeFeedFrame([json]));
  }

  cut(): void {
    this.#socket.terminate();
  }

  #canTake(): boolean {
    return !this.isCurrent && this.#canSend() && this.#socket.bufferedAmount < UNSENT_BYTES_MAX;
  }

  #canSend(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  #send(frame: string): void {
    this.#socket.send(frame, (error) => {
      if (!error) this.pump();
    });
  }

  #nextFrame(): string {
    const messages: string[] = [];
    let chars = 0;
    while (messages.length < FRAME_MESSAGES_MAX && chars < FRAME_CHARS_MAX) {
      const entry = this.#backlog.at(this.#place);
      if (entry === undefined) break;
      messages.push(entry.json);
      chars += entry.json.length;
      this.#place++;
    }
    return encodeFeedFrame(messages);
  }
}
