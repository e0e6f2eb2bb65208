import type { WebSocket } from 'ws';
import { encodeFeedFrame } from '#load/chain';
import type { FeedBacklog } from './feed-backlog.ts';

const FRAME_MESSAGES_MAX = 240;
const FRAME_CHARS_MAX = 2 ** 20;
const UNSENT_BYTES_MAX = 4 * 2 ** 20;

/**
 * One reader of the feed: a place in the backlog that moves on as fast as the reader takes what it is sent,
 * so that a slow one holds no memory of its own. One that is overtaken by the end of the backlog is cut
 * off.
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

  /** Whether it has been sent everything there is. */
  get isCurrent(): boolean {
    return this.#place === this.#backlog.endPlace;
  }

  heard(nowMs: number): void {
    this.#lastHeardMs = nowMs;
  }

  /** Pings it; cuts it off when it has not been heard for too long. */
  check(nowMs: number, silenceMsMax: number): void {
    if (nowMs - this.#lastHeardMs > silenceMsMax) this.cut();
    else this.#socket.ping();
  }

  /** Sends what is new, as far as it takes it; goes on by itself when it has taken more. */
  pump(): void {
    if (this.#place < this.#backlog.firstPlace) this.cut();
    while (this.#canTake()) this.#send(this.#nextFrame());
  }

  /** Sends a frame that has no place of its own. */
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
