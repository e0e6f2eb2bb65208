export { type CypherRequest, parseCypherRequest } from './service/cypher-request.ts';
export { type CypherReply, CypherService } from './service/cypher-service.ts';
export type { PlanOperator } from './service/plan-operator.ts';
export { TransactionService } from './service/transaction-service.ts';
export type {
  DatabaseTransactions,
  Notification,
  StatementKind,
  StatementResult,
  StatementSummary,
  StatementText,
  Transaction,
  TransactionOptions,
  Transactions,
} from './service/transaction.port.ts';
export { type ColumnCondition, ReadingStatement, type ReadRows } from './reading/reading-statement.ts';
export { numericId } from './graph/numeric-id.ts';
export { DatabaseList } from './database/database-list.ts';
export { DEFAULT_DATABASE, SYSTEM_DATABASE } from './syntax/database-command.ts';
export { Databases } from './database/databases.ts';
export { containsUpdates } from './overlay/counters.ts';
export type { PropertyGraph } from './graph/property-graph.port.ts';
export { COORDINATE_SYSTEMS, PointValue } from './value/point.ts';
export { checkedDay } from './value/temporal/checked-date.ts';
export { newDuration } from './value/temporal/duration.ts';
export {
  DateTimeValue,
  DateValue,
  DurationValue,
  LocalDateTimeValue,
  LocalTimeValue,
  TimeValue,
} from './value/temporal/temporal.ts';
export { atInstant, atLocal, parseZone } from './value/temporal/zone.ts';
export { type CypherMap, isList, isMap, LinkValue, NodeValue, PathValue, type Value } from './value/value.ts';
