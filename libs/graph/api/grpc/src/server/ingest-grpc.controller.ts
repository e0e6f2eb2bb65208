import type { Metadata, sendUnaryData } from '@grpc/grpc-js';
import { Controller, Inject, UseFilters } from '@nestjs/common';
import { GrpcMethod, GrpcStreamCall } from '@nestjs/microservices';
import { Graph, parseSyncRequest, parseWriteRequest, type SyncReply } from '#graph/engine';
import { ownWrite, requireOwnScope, Requires } from '#platform/auth';
import { inTurns } from '#platform/foundation';
import { CallErrorFilter, callerOfCall } from '#platform/grpc';
import { GrpcLimits } from '../calls/grpc-limits.ts';
import { type SyncCall, SyncUpload } from '../calls/sync-upload.ts';
import type { SyncReplySent, WriteReplySent, WriteRequestWire } from '../generated/graph-messages.ts';
import { GRAPH_SERVICE } from '../proto/graph-proto.ts';
import { syncReplyToWire, writeReplyToWire } from '../wire/reply-wire.ts';
import { danglingOf, parseOptionsOf, syncOptionsOf, writeBody } from '../wire/request-body.ts';

@Controller()
@UseFilters(CallErrorFilter)
export class IngestGrpcController {
  readonly #graph: Graph;
  readonly #limits: GrpcLimits;
  readonly #errors: CallErrorFilter;

  constructor(
    @Inject(Graph) graph: Graph,
    @Inject(GrpcLimits) limits: GrpcLimits,
    @Inject(CallErrorFilter) errors: CallErrorFilter,
  ) {
    this.#graph = graph;
    this.#limits = limits;
    this.#errors = errors;
  }

  @GrpcMethod(GRAPH_SERVICE, 'Write')
  @Requires('write', { keepsSource: true })
  async write(message: WriteRequestWire, metadata: Metadata): Promise<WriteReplySent> {
    const { options } = message;
    const request = await inTurns(parseWriteRequest(writeBody(message), parseOptionsOf(options)));
    const write = ownWrite(callerOfCall(metadata), request);
    return writeReplyToWire(await this.#graph.write(write, { onDangling: danglingOf(options) }));
  }

  /** Nest's filters do not reach the callback. */
  @GrpcStreamCall(GRAPH_SERVICE, 'Sync')
  @Requires('write', { keepsSource: true })
  async sync(call: SyncCall, callback: sendUnaryData<SyncReplySent>): Promise<void> {
    try {
      callback(null, syncReplyToWire(await this.#applied(call)));
    } catch (error) {
      callback(this.#errors.failureOf(error, call.metadata));
    }
  }

  async #applied(call: SyncCall): Promise<SyncReply> {
    const { syncBytesMax: bytesMax, syncPartsMax: partsMax, pauseMs } = this.#limits;
    const { start, body } = await new SyncUpload(call, { bytesMax, partsMax, pauseMs }).received();
    const request = await inTurns(parseSyncRequest(body, parseOptionsOf(start.options)));
    requireOwnScope(callerOfCall(call.metadata), request);
    return this.#graph.sync(request, syncOptionsOf(start));
  }
}
