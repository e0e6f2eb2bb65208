import { Controller, Inject, UseFilters } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import { Graph } from '#graph/engine';
import { Requires } from '#platform/auth';
import { CallErrorFilter } from '#platform/grpc';
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
  @Requires('read')
  entity({ id, sources }: GetEntityRequestWire): EntitySent {
    const encoder = new RecordEncoder();
    return sources
      ? encoder.entityWithSources(this.#graph.entityWithSources(id))
      : encoder.entity(this.#graph.entity(id));
  }

  @GrpcMethod(GRAPH_SERVICE, 'Neighbors')
  @Requires('read')
  neighbors({ id, verb, limit, direction }: NeighborsRequestWire): NeighborsReplySent {
    const options = { verb, limit, direction: directionOf(direction) };
    return new RecordEncoder().neighbors(this.#graph.neighbors(id, options));
  }

  @GrpcMethod(GRAPH_SERVICE, 'Schema')
  @Requires('read')
  schema(): SchemaReplySent {
    return schemaToWire(this.#graph.schema());
  }
}
