import type { Metadata, ServerWritableStream } from '@grpc/grpc-js';
import { DomainError, type HangUp } from '#platform/foundation';
import { openCallOf } from '#platform/grpc';

/** A message of this size is awaited even if no other message is queued. */
const LARGE_BYTES = 256 * 1024;

/** Events after which the stream is closed for writing. */
const ENDS = ['cancelled', 'close', 'error'] as const;

/**
 * Writes the messages of a stream as fast as they are read: at most some small messages, or one large one,
 * are queued for a slow reader. A reader that stalls for too long is disconnected.
 */
export class ReplyWriter<Message> implements HangUp {
  readonly #call: ServerWritableStream<unknown, Message>;
  readonly #stallMs: number;
  #stall: NodeJS.Timeout | undefined;

  constructor(call: ServerWritableStream<unknown, Message>, stallMs: number) {
    this.#call = call;
    this.#stallMs = stallMs;
  }

  /** Whether the reader has gone: disconnected, cut off, or past its deadline. */
  get aborted(): boolean {
    const { cancelled, destroyed, metadata } = this.#call;
    return cancelled || destroyed || openCallOf(metadata)?.hasEnded === true;
  }

  /** Sends metadata before the first message. */
  begin(metadata: Metadata): void {
    if (!this.aborted) this.#call.sendMetadata(metadata);
  }

  /** Resolves when more can be written. Throws QUERY_TIMEOUT if the reader stalls. */
  async write(message: Message, bytes = 0): Promise<void> {
    if (this.aborted) throw nobodyReads();
    const written = Promise.withResolvers<undefined>();
    const hasRoom = this.#call.write(message, () => {
      this.#stall?.refresh();
      written.resolve(undefined);
    });
    if (bytes >= LARGE_BYTES) await this.#within(written.promise);
    else if (!hasRoom) await this.#within(new Promise((resolve) => this.#call.once('drain', resolve)));
  }

  async #within(room: Promise<unknown>): Promise<void> {
    const ended = Promise.withResolvers<undefined>();
    const end = (): void => {
      ended.resolve(undefined);
    };
    for (const event of ENDS) this.#call.once(event, end);
    this.#stall = setTimeout(() => {
      openCallOf(this.#call.metadata)?.cutOff();
      end();
    }, this.#stallMs);
    try {
      await Promise.race([room, ended.promise]);
    } finally {
      clearTimeout(this.#stall);
      this.#stall = undefined;
      for (const event of ENDS) this.#call.removeListener(event, end);
    }
    if (this.aborted) throw nobodyReads();
  }
}

function nobodyReads(): DomainError {
  return new DomainError('QUERY_TIMEOUT', 'query stopped: the client has disconnected');
}
