export { type CypherRequest, parseCypherRequest } from './service/cypher-request.ts';
export { type CypherReply, CypherService } from './service/cypher-service.ts';
export { TransactionService } from './service/transaction-service.ts';
export type {
  Notification,
  StatementResult,
  StatementSummary,
  StatementText,
  Transaction,
  TransactionOptions,
  Transactions,
} from './service/transaction.port.ts';
export type { PropertyGraph } from './graph/property-graph.port.ts';
export { type CypherMap, LinkValue, NodeValue, PathValue, type Value } from './value/value.ts';
