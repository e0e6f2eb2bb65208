import { Metadata } from '@grpc/grpc-js';
import { type Graph, parseSeqToken, SEQ_WAIT_MS, type SeqPoint, seqToken } from '#graph/engine';
import type { QuerySettings } from '#graph/query';
import { callEnded } from '#platform/grpc';

const NAME = 'plexus-seq';

/** `plexus-seq` in the metadata of calls, equal to REST's header (ADR 0217). */
export class SeqMetadata {
  readonly #graph: Graph;
  readonly #queryTimeoutMs: number;

  constructor(graph: Graph, { queryTimeout }: Pick<QuerySettings, 'queryTimeout'>) {
    this.#graph = graph;
    this.#queryTimeoutMs = queryTimeout;
  }

  /**
   * Waits until the graph has reached the number in a call's metadata. Rejects like REST; ends with the call.
   */
  async reached(given: Metadata, timeoutMs = SEQ_WAIT_MS): Promise<void> {
    const tokens = given.get(NAME);
    if (tokens.length === 0) return;
    const point = parseSeqToken(tokens.join(', '));
    const waitMs = Math.min(timeoutMs, this.#queryTimeoutMs);
    await this.#graph.reachedPoint(point, waitMs, callEnded(given));
  }

  /** The metadata of an answer that was read at a point. */
  of(seen: SeqPoint): Metadata {
    const metadata = new Metadata();
    metadata.set(NAME, seqToken(seen));
    return metadata;
  }
}
