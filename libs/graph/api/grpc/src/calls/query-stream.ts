import type { Clock } from '#platform/foundation';
import type { OpenResult, QueryRequest, QueryService } from '#graph/query';
import { traced } from '#platform/observability';
import type { QueryItemSent, QueryReplySent } from '../generated/graph-messages.ts';
import { QueryEncoder } from '../wire/query-encoder.ts';
import type { ReplyWriter } from './reply-writer.ts';
import type { SeqMetadata } from './seq-metadata.ts';

/** A message is complete once an item reaches one of these limits. */
const MESSAGE_BYTES = 64 * 1024;
const MESSAGE_ITEMS = 512;
/** How long items are encoded in one turn of the event loop. */
const SLICE_MS = 5;

export interface QueryStreamParts {
  readonly queries: QueryService;
  readonly clock: Clock;
  readonly writer: ReplyWriter<QueryReplySent>;
  readonly seq: SeqMetadata;
}

/** Streams one query: its head, its items as they are read, its summary. */
export class QueryStream {
  readonly #queries: QueryService;
  readonly #clock: Clock;
  readonly #writer: ReplyWriter<QueryReplySent>;
  readonly #seq: SeqMetadata;

  constructor(parts: QueryStreamParts) {
    this.#queries = parts.queries;
    this.#clock = parts.clock;
    this.#writer = parts.writer;
    this.#seq = parts.seq;
  }

  async run(request: QueryRequest): Promise<void> {
    const startMs = this.#clock.monotonicMs();
    const open = await this.#queries.open(request, this.#writer);
    try {
      const { kind, columns = [], snapshotVersion } = open.result;
      this.#writer.begin(this.#seq.of(open.seen));
      await this.#writer.write({ head: { kind, columns, snapshotVersion } });
      const encoder = new QueryEncoder(open.result, open.reader);
      await traced('query.encode', () => this.#writeItems(encoder, open));
      await this.#writer.write({ summary: encoder.summary(this.#clock.monotonicMs() - startMs) });
    } finally {
      open.release();
    }
  }

  async #writeItems(encoder: QueryEncoder, open: OpenResult): Promise<void> {
    let items: QueryItemSent[] = [];
    let sentBytes = 0;
    let sliceEndMs = this.#clock.monotonicMs() + SLICE_MS;
    const send = async (): Promise<void> => {
      await this.#writer.write({ items: { items } }, encoder.bytes - sentBytes);
      items = [];
      sentBytes = encoder.bytes;
    };
    for (const item of encoder.items()) {
      items.push(item);
      if (encoder.bytes - sentBytes >= MESSAGE_BYTES || items.length >= MESSAGE_ITEMS) await send();
      if (this.#clock.monotonicMs() < sliceEndMs) continue;
      await open.turn();
      sliceEndMs = this.#clock.monotonicMs() + SLICE_MS;
    }
    if (items.length > 0) await send();
  }
}
