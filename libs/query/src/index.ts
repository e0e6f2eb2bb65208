export type { Query } from './ast/ast.ts';
export { QueryEngine, type QueryEngineOptions, type RunOptions, type Turns } from './execute/query-engine.ts';
export type { Adjacency, ByteSink, GraphReader, LinkBuffer, NodeBuffer } from './graph-reader.port.ts';
export { print } from './ast/print.ts';
export { parse } from './parser/parser.ts';
export { isRecordField, type Vocabulary } from './plan/data-warnings.ts';
export {
  encodeEnd,
  encodeResult,
  encodeSteps,
  LineEncoder,
  type PageRequest,
  type ReplyFacts,
} from './result/encode-result.ts';
export type { PlanTree } from './result/plan-tree.ts';
export {
  LinkCell,
  NodeCell,
  type Cell,
  type FoundPath,
  type GroupRow,
  type ImpactedEntity,
  type QueryItems,
  type QueryPage,
  type QueryResult,
  type ResultKind,
} from './result/query-result.ts';
export { explainFault } from './syntax/explain-fault.ts';
export type { QueryParameters } from './value/parameters.ts';
