/** Pause between the loss of a connection and the next attempt. */
const PAUSE_MS = 1_000;

/** Options for an operation of a generated client, so that its stream is one connection. */
export interface FeedRequest {
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string>>;
  readonly sseMaxRetryAttempts: 1;
  readonly onSseEvent: (event: { readonly id?: string }) => void;
}

/** A stream of events that reconnects until it is closed, and requests missed events. */
export class EventFeed<Message> {
  #isConnected = $state<boolean | undefined>();
  #lastId: string | undefined;
  readonly #closing = new AbortController();
  readonly #open: (request: FeedRequest) => Promise<{ readonly stream: AsyncIterable<Message> }>;
  readonly #take: (message: Message) => boolean;

  /** `take` returns whether more messages are wanted. */
  constructor(
    open: (request: FeedRequest) => Promise<{ readonly stream: AsyncIterable<Message> }>,
    take: (message: Message) => boolean,
  ) {
    this.#open = open;
    this.#take = take;
  }

  /** Undefined before the first message. */
  get isConnected(): boolean | undefined {
    return this.#isConnected;
  }

  /** Resolves when it is closed, or no more messages are wanted. */
  async follow(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const { stream } = await this.#open({
        signal,
        headers: this.#lastId === undefined ? {} : { 'Last-Event-ID': this.#lastId },
        sseMaxRetryAttempts: 1,
        onSseEvent: ({ id }) => (this.#lastId = id ?? this.#lastId),
      });
      for await (const message of stream) {
        this.#isConnected = true;
        if (!this.#take(message)) return;
      }
      this.#isConnected = false;
      await pause(signal);
    }
  }

  close(): void {
    this.#closing.abort();
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
  });
}
