import type { Metadata, ServerWritableStream } from '@grpc/grpc-js';
import { Controller, Inject, UseFilters } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import { Observable } from 'rxjs';
import { parseQueryRequest, QueryService } from '#graph/query';
import { Requires } from '#platform/auth';
import { Clock } from '#platform/foundation';
import { CallErrorFilter, callerOfCall } from '#platform/grpc';
import { GrpcLimits } from '../calls/grpc-limits.ts';
import { QueryStream } from '../calls/query-stream.ts';
import { ReplyWriter } from '../calls/reply-writer.ts';
import { SeqMetadata } from '../calls/seq-metadata.ts';
import type { QueryReplySent, QueryRequestWire } from '../generated/graph-messages.ts';
import { GRAPH_SERVICE } from '../proto/graph-proto.ts';
import { queryBody } from '../wire/request-body.ts';

type QueryCall = ServerWritableStream<QueryRequestWire, QueryReplySent>;

@Controller()
@UseFilters(CallErrorFilter)
export class QueryGrpcController {
  readonly #queries: QueryService;
  readonly #clock: Clock;
  readonly #limits: GrpcLimits;
  readonly #seq: SeqMetadata;

  constructor(
    @Inject(QueryService) queries: QueryService,
    @Inject(Clock) clock: Clock,
    @Inject(GrpcLimits) limits: GrpcLimits,
    @Inject(SeqMetadata) seq: SeqMetadata,
  ) {
    this.#queries = queries;
    this.#clock = clock;
    this.#limits = limits;
    this.#seq = seq;
  }

  /** Nest queues the values of an observable without bounds: this one emits none, and only completes. */
  @GrpcMethod(GRAPH_SERVICE, 'Query')
  @Requires('read', { keepsScope: true })
  query(request: QueryRequestWire, metadata: Metadata, call: QueryCall): Observable<never> {
    return new Observable((subscriber) => {
      const writer = new ReplyWriter(call, this.#limits.pauseMs);
      const run = async (): Promise<void> => {
        const { scope } = callerOfCall(metadata);
        const asked = { ...parseQueryRequest(queryBody(request)), scope };
        await this.#seq.reached(metadata, asked.timeoutMs);
        const parts = { queries: this.#queries, clock: this.#clock, seq: this.#seq, writer };
        await new QueryStream(parts).run(asked);
      };
      run().then(
        () => {
          subscriber.complete();
        },
        (error: unknown) => {
          subscriber.error(error);
        },
      );
    });
  }
}
