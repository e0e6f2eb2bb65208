export { GrpcLimits } from './calls/grpc-limits.ts';
export type {
  CellWire,
  EntityWire,
  GetEntityRequestSent,
  GroupWire,
  NeighborsReplyWire,
  NeighborsRequestSent,
  PlanWire,
  QueryHeadWire,
  QueryItemWire,
  QueryReplyWire,
  QueryRequestSent,
  QuerySummaryWire,
  RelationshipWire,
  SchemaReplyWire,
  SchemaRequestSent,
  SyncReplyWire,
  SyncRequestSent,
  ValueSent,
  ValueWire,
  WarningWire,
  WriteReplyWire,
  WriteRequestSent,
} from './generated/graph-messages.ts';
export { GRAPH_PACKAGE, GRAPH_SERVICE, loadGraphProto, reflectedProtos } from './proto/graph-proto.ts';
export { GRAPH_METHODS, GraphGrpcServer } from './server/graph-grpc-server.ts';
