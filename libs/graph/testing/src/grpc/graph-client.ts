/** Made from proto/graph.proto by `npm run proto-types`; not to be edited. */
import type * as grpc from '@grpc/grpc-js';
import type {
  ChangesReplyWire,
  ChangesRequestSent,
  DiffReplyWire,
  DiffRequestSent,
  EntityWire,
  GetEntityRequestSent,
  NeighborsReplyWire,
  NeighborsRequestSent,
  QueryReplyWire,
  QueryRequestSent,
  SchemaReplyWire,
  SchemaRequestSent,
  SyncReplyWire,
  SyncRequestSent,
  WriteReplyWire,
  WriteRequestSent,
} from '#graph/api/grpc';
export interface GraphClient extends grpc.Client {
  Changes(
    argument: ChangesRequestSent,
    metadata: grpc.Metadata,
    options?: grpc.CallOptions,
  ): grpc.ClientReadableStream<ChangesReplyWire>;
  Changes(
    argument: ChangesRequestSent,
    options?: grpc.CallOptions,
  ): grpc.ClientReadableStream<ChangesReplyWire>;
  changes(
    argument: ChangesRequestSent,
    metadata: grpc.Metadata,
    options?: grpc.CallOptions,
  ): grpc.ClientReadableStream<ChangesReplyWire>;
  changes(
    argument: ChangesRequestSent,
    options?: grpc.CallOptions,
  ): grpc.ClientReadableStream<ChangesReplyWire>;

  Diff(
    argument: DiffRequestSent,
    metadata: grpc.Metadata,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<DiffReplyWire>,
  ): grpc.ClientUnaryCall;
  Diff(
    argument: DiffRequestSent,
    metadata: grpc.Metadata,
    callback: grpc.requestCallback<DiffReplyWire>,
  ): grpc.ClientUnaryCall;
  Diff(
    argument: DiffRequestSent,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<DiffReplyWire>,
  ): grpc.ClientUnaryCall;
  Diff(argument: DiffRequestSent, callback: grpc.requestCallback<DiffReplyWire>): grpc.ClientUnaryCall;
  diff(
    argument: DiffRequestSent,
    metadata: grpc.Metadata,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<DiffReplyWire>,
  ): grpc.ClientUnaryCall;
  diff(
    argument: DiffRequestSent,
    metadata: grpc.Metadata,
    callback: grpc.requestCallback<DiffReplyWire>,
  ): grpc.ClientUnaryCall;
  diff(
    argument: DiffRequestSent,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<DiffReplyWire>,
  ): grpc.ClientUnaryCall;
  diff(argument: DiffRequestSent, callback: grpc.requestCallback<DiffReplyWire>): grpc.ClientUnaryCall;

  GetEntity(
    argument: GetEntityRequestSent,
    metadata: grpc.Metadata,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<EntityWire>,
  ): grpc.ClientUnaryCall;
  GetEntity(
    argument: GetEntityRequestSent,
    metadata: grpc.Metadata,
    callback: grpc.requestCallback<EntityWire>,
  ): grpc.ClientUnaryCall;
  GetEntity(
    argument: GetEntityRequestSent,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<EntityWire>,
  ): grpc.ClientUnaryCall;
  GetEntity(argument: GetEntityRequestSent, callback: grpc.requestCallback<EntityWire>): grpc.ClientUnaryCall;
  getEntity(
    argument: GetEntityRequestSent,
    metadata: grpc.Metadata,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<EntityWire>,
  ): grpc.ClientUnaryCall;
  getEntity(
    argument: GetEntityRequestSent,
    metadata: grpc.Metadata,
    callback: grpc.requestCallback<EntityWire>,
  ): grpc.ClientUnaryCall;
  getEntity(
    argument: GetEntityRequestSent,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<EntityWire>,
  ): grpc.ClientUnaryCall;
  getEntity(argument: GetEntityRequestSent, callback: grpc.requestCallback<EntityWire>): grpc.ClientUnaryCall;

  Neighbors(
    argument: NeighborsRequestSent,
    metadata: grpc.Metadata,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<NeighborsReplyWire>,
  ): grpc.ClientUnaryCall;
  Neighbors(
    argument: NeighborsRequestSent,
    metadata: grpc.Metadata,
    callback: grpc.requestCallback<NeighborsReplyWire>,
  ): grpc.ClientUnaryCall;
  Neighbors(
    argument: NeighborsRequestSent,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<NeighborsReplyWire>,
  ): grpc.ClientUnaryCall;
  Neighbors(
    argument: NeighborsRequestSent,
    callback: grpc.requestCallback<NeighborsReplyWire>,
  ): grpc.ClientUnaryCall;
  neighbors(
    argument: NeighborsRequestSent,
    metadata: grpc.Metadata,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<NeighborsReplyWire>,
  ): grpc.ClientUnaryCall;
  neighbors(
    argument: NeighborsRequestSent,
    metadata: grpc.Metadata,
    callback: grpc.requestCallback<NeighborsReplyWire>,
  ): grpc.ClientUnaryCall;
  neighbors(
    argument: NeighborsRequestSent,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<NeighborsReplyWire>,
  ): grpc.ClientUnaryCall;
  neighbors(
    argument: NeighborsRequestSent,
    callback: grpc.requestCallback<NeighborsReplyWire>,
  ): grpc.ClientUnaryCall;

  Query(
    argument: QueryRequestSent,
    metadata: grpc.Metadata,
    options?: grpc.CallOptions,
  ): grpc.ClientReadableStream<QueryReplyWire>;
  Query(argument: QueryRequestSent, options?: grpc.CallOptions): grpc.ClientReadableStream<QueryReplyWire>;
  query(
    argument: QueryRequestSent,
    metadata: grpc.Metadata,
    options?: grpc.CallOptions,
  ): grpc.ClientReadableStream<QueryReplyWire>;
  query(argument: QueryRequestSent, options?: grpc.CallOptions): grpc.ClientReadableStream<QueryReplyWire>;

  Schema(
    argument: SchemaRequestSent,
    metadata: grpc.Metadata,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<SchemaReplyWire>,
  ): grpc.ClientUnaryCall;
  Schema(
    argument: SchemaRequestSent,
    metadata: grpc.Metadata,
    callback: grpc.requestCallback<SchemaReplyWire>,
  ): grpc.ClientUnaryCall;
  Schema(
    argument: SchemaRequestSent,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<SchemaReplyWire>,
  ): grpc.ClientUnaryCall;
  Schema(argument: SchemaRequestSent, callback: grpc.requestCallback<SchemaReplyWire>): grpc.ClientUnaryCall;
  schema(
    argument: SchemaRequestSent,
    metadata: grpc.Metadata,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<SchemaReplyWire>,
  ): grpc.ClientUnaryCall;
  schema(
    argument: SchemaRequestSent,
    metadata: grpc.Metadata,
    callback: grpc.requestCallback<SchemaReplyWire>,
  ): grpc.ClientUnaryCall;
  schema(
    argument: SchemaRequestSent,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<SchemaReplyWire>,
  ): grpc.ClientUnaryCall;
  schema(argument: SchemaRequestSent, callback: grpc.requestCallback<SchemaReplyWire>): grpc.ClientUnaryCall;

  Sync(
    metadata: grpc.Metadata,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<SyncReplyWire>,
  ): grpc.ClientWritableStream<SyncRequestSent>;
  Sync(
    metadata: grpc.Metadata,
    callback: grpc.requestCallback<SyncReplyWire>,
  ): grpc.ClientWritableStream<SyncRequestSent>;
  Sync(
    options: grpc.CallOptions,
    callback: grpc.requestCallback<SyncReplyWire>,
  ): grpc.ClientWritableStream<SyncRequestSent>;
  Sync(callback: grpc.requestCallback<SyncReplyWire>): grpc.ClientWritableStream<SyncRequestSent>;
  sync(
    metadata: grpc.Metadata,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<SyncReplyWire>,
  ): grpc.ClientWritableStream<SyncRequestSent>;
  sync(
    metadata: grpc.Metadata,
    callback: grpc.requestCallback<SyncReplyWire>,
  ): grpc.ClientWritableStream<SyncRequestSent>;
  sync(
    options: grpc.CallOptions,
    callback: grpc.requestCallback<SyncReplyWire>,
  ): grpc.ClientWritableStream<SyncRequestSent>;
  sync(callback: grpc.requestCallback<SyncReplyWire>): grpc.ClientWritableStream<SyncRequestSent>;

  Write(
    argument: WriteRequestSent,
    metadata: grpc.Metadata,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<WriteReplyWire>,
  ): grpc.ClientUnaryCall;
  Write(
    argument: WriteRequestSent,
    metadata: grpc.Metadata,
    callback: grpc.requestCallback<WriteReplyWire>,
  ): grpc.ClientUnaryCall;
  Write(
    argument: WriteRequestSent,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<WriteReplyWire>,
  ): grpc.ClientUnaryCall;
  Write(argument: WriteRequestSent, callback: grpc.requestCallback<WriteReplyWire>): grpc.ClientUnaryCall;
  write(
    argument: WriteRequestSent,
    metadata: grpc.Metadata,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<WriteReplyWire>,
  ): grpc.ClientUnaryCall;
  write(
    argument: WriteRequestSent,
    metadata: grpc.Metadata,
    callback: grpc.requestCallback<WriteReplyWire>,
  ): grpc.ClientUnaryCall;
  write(
    argument: WriteRequestSent,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<WriteReplyWire>,
  ): grpc.ClientUnaryCall;
  write(argument: WriteRequestSent, callback: grpc.requestCallback<WriteReplyWire>): grpc.ClientUnaryCall;
}
