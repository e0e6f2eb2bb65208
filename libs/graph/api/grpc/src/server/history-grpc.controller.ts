import type { Metadata, ServerWritableStream } from '@grpc/grpc-js';
import { Controller, Inject, UseFilters } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import { Observable } from 'rxjs';
import { ChangeFeed, DiffService } from '#graph/query';
import { Requires } from '#platform/auth';
import { CallErrorFilter, callEnded, callerOfCall } from '#platform/grpc';
import { GrpcLimits } from '../calls/grpc-limits.ts';
import { ReplyWriter } from '../calls/reply-writer.ts';
import { SeqMetadata } from '../calls/seq-metadata.ts';
import type {
  ChangesReplySent,
  ChangesRequestWire,
  DiffReplySent,
  DiffRequestWire,
} from '../generated/graph-messages.ts';
import { GRAPH_SERVICE } from '../proto/graph-proto.ts';
import { HistoryEncoder } from '../wire/history-encoder.ts';
import { diffRequest } from '../wire/request-body.ts';

type ChangesCall = ServerWritableStream<ChangesRequestWire, ChangesReplySent>;

/** What tells of everything: refused to keys with a scope, as over REST. */
@Controller()
@UseFilters(CallErrorFilter)
export class HistoryGrpcController {
  readonly #feed: ChangeFeed;
  readonly #diffs: DiffService;
  readonly #limits: GrpcLimits;
  readonly #seq: SeqMetadata;

  constructor(
    @Inject(ChangeFeed) feed: ChangeFeed,
    @Inject(DiffService) diffs: DiffService,
    @Inject(GrpcLimits) limits: GrpcLimits,
    @Inject(SeqMetadata) seq: SeqMetadata,
  ) {
    this.#feed = feed;
    this.#diffs = diffs;
    this.#limits = limits;
    this.#seq = seq;
  }

  /** Nest queues the values of an observable without bounds: this one emits none, and only completes. */
  @GrpcMethod(GRAPH_SERVICE, 'Changes')
  @Requires('read')
  changes(request: ChangesRequestWire, metadata: Metadata, call: ChangesCall): Observable<never> {
    return new Observable((subscriber) => {
      this.#send(request, metadata, call).then(
        () => {
          subscriber.complete();
        },
        (error: unknown) => {
          subscriber.error(error);
        },
      );
    });
  }

  @GrpcMethod(GRAPH_SERVICE, 'Diff')
  @Requires('read')
  async diff(request: DiffRequestWire, metadata: Metadata): Promise<DiffReplySent> {
    const asked = diffRequest(request);
    await this.#seq.reached(metadata);
    return new HistoryEncoder().diff(await this.#diffs.records(asked, callEnded(metadata)));
  }

  async #send(request: ChangesRequestWire, metadata: Metadata, call: ChangesCall): Promise<void> {
    const writer = new ReplyWriter(call, this.#limits.pauseMs);
    const { class: className, query, from, follow: follows } = request;
    await this.#seq.reached(metadata);
    const messages = await this.#feed.open({
      classes: className === undefined ? undefined : [className],
      query,
      from,
      follows,
      reader: callerOfCall(metadata).name,
      signal: callEnded(metadata),
    });
    const encoder = new HistoryEncoder();
    for await (const message of messages) {
      const sentBytes = encoder.bytes;
      const reply = encoder.feedMessage(message);
      await writer.write(reply, encoder.bytes - sentBytes);
      if (message.kind === 'error') throw message.cause;
    }
  }
}
