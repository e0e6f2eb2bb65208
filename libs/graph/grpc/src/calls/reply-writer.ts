import type { Metadata, ServerWritableStream } from '@grpc/grpc-js';
import { DomainError, type HangUp } from '#platform/foundation';
import { openCallOf } from '#platform/grpc';

/** A message of so many bytes is waited for, however few others do. */
const LARGE_BYTES = 256 * 1024;

/** Events after which nothing more can be written. */
const ENDS = ['cancelled', 'close', 'error'] as const;

/**
 * Writes a stream's messages as fast as they are read: some small ones, or one large one, are all that waits
 * for a slow reader. One that takes no message for too long is cut off.
 */
export class ReplyWriter<Message> implements HangUp {
  readonly #call: ServerWritableStream<unknown, Message>;
  readonly #stallMs: number;
  #stall: NodeJS.Timeout | undefined;

  constructor(call: ServerWritableStream<unknown, Message>, stallMs: number) {
    this.#call = call;
    this.#stallMs = stallMs;
  }

  /** Whether nobody reads any more: the reader has gone, was cut off, or is beyond its deadline. */
  get aborted(): boolean {
    const { cancelled, destroyed, metadata } = this.#call;
    return cancelled || destroyed || openCallOf(metadata)?.hasEnded === true;
  }

  /** What is told before the first message. */
  begin(metadata: Metadata): void {
    if (!this.aborted) this.#call.sendMetadata(metadata);
  }

  /** Resolves when there is room for more. Throws QUERY_TIMEOUT when nobody reads. */
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
  return new DomainError('QUERY_TIMEOUT', 'query stopped: nobody waits for its answer any more');
}
