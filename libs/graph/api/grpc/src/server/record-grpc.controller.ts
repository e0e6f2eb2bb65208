import type { Metadata } from '@grpc/grpc-js';
import { Controller, Inject, UseFilters } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import { Graph } from '#graph/engine';
import { Requires } from '#platform/auth';
import { inTurns } from '#platform/foundation';
import { CallErrorFilter, callerOfCall } from '#platform/grpc';
import type {
  EntitySent,
  GetEntityRequestWire,
  NeighborsReplySent,
  NeighborsRequestWire,
  SchemaReplySent,
} from '../generated/graph-messages.ts';
import { GRAPH_SERVICE } from '../proto/graph-proto.ts';
import { RecordEncoder } from '../wire/record-encoder.ts';
import { schemaToWire } from '../wire/reply-wire.ts';
import { directionOf } from '../wire/request-body.ts';

@Controller()
@UseFilters(CallErrorFilter)
export class RecordGrpcController {
  readonly #graph: Graph;

  constructor(@Inject(Graph) graph: Graph) {
    this.#graph = graph;
  }

  @GrpcMethod(GRAPH_SERVICE, 'GetEntity')
  @Requires('read', { keepsScope: true })
  entity({ id, sources }: GetEntityRequestWire, metadata: Metadata): EntitySent {
    const { scope } = callerOfCall(metadata);
    const encoder = new RecordEncoder();
    return sources
      ? encoder.entityWithSources(this.#graph.entityWithSources(id, scope))
      : encoder.entity(this.#graph.entity(id, scope));
  }

  @GrpcMethod(GRAPH_SERVICE, 'Neighbors')
  @Requires('read', { keepsScope: true })
  neighbors({ id, verb, limit, direction }: NeighborsRequestWire, metadata: Metadata): NeighborsReplySent {
    const { scope } = callerOfCall(metadata);
    const options = { verb, limit, direction: directionOf(direction), scope };
    return new RecordEncoder().neighbors(this.#graph.neighbors(id, options));
  }

  @GrpcMethod(GRAPH_SERVICE, 'Schema')
  @Requires('read', { keepsScope: true })
  async schema(_request: unknown, metadata: Metadata): Promise<SchemaReplySent> {
    const { scope } = callerOfCall(metadata);
    const schema = scope === undefined ? this.#graph.schema() : inTurns(this.#graph.schemaWithin(scope));
    return schemaToWire(await schema);
  }
}
