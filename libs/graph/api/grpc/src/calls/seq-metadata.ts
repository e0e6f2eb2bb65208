import { Metadata, type ServerWritableStream } from '@grpc/grpc-js';
import { type Graph, parseSeqToken, SEQ_WAIT_MS, type SeqPoint, seqToken } from '#graph/engine';
import type { QuerySettings } from '#graph/query';

const NAME = 'plexus-seq';

type Call = Pick<ServerWritableStream<unknown, unknown>, 'metadata' | 'once' | 'removeListener'>;

/** `plexus-seq` in the metadata of queries, equal to REST's header (ADR 0217). */
export class SeqMetadata {
  readonly #graph: Graph;
  readonly #queryTimeoutMs: number;

  constructor(graph: Graph, { queryTimeout }: Pick<QuerySettings, 'queryTimeout'>) {
    this.#graph = graph;
    this.#queryTimeoutMs = queryTimeout;
  }

  /**
   * Waits until the graph has reached the call's number. Rejects like REST; ends if the call is cancelled.
   */
  async reached(call: Call, timeoutMs = SEQ_WAIT_MS): Promise<void> {
    const given = call.metadata.get(NAME);
    if (given.length === 0) return;
    const point = parseSeqToken(given.join(', '));
    const client = new AbortController();
    const leave = (): void => {
      client.abort();
    };
    call.once('cancelled', leave);
    try {
      await this.#graph.reachedPoint(point, Math.min(timeoutMs, this.#queryTimeoutMs), client.signal);
    } finally {
      call.removeListener('cancelled', leave);
    }
  }

  /** The metadata of an answer that was read at a point. */
  of(seen: SeqPoint): Metadata {
    const metadata = new Metadata();
    metadata.set(NAME, seqToken(seen));
    return metadata;
  }
}
