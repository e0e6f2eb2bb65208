export type { Query } from './ast/ast.ts';
export { print } from './ast/print.ts';
export { QueryEngine } from './execute/engine/query-engine.ts';
export { KEYWORDS } from './lexer/keyword.ts';
export { parse } from './parser/parser.ts';
export { isRecordField } from './plan/data-warnings.ts';
export { ChangeFeed, type FeedMessage, feedChange, type FeedChange } from './feed/change-feed.ts';
export type { ChangeFilter, ChangeSelector } from './feed/change-selector.ts';
export { footprintOf, isStamp, unionOf } from './plan/footprint.ts';
export { encodeResult } from './result/encode-result.ts';
export type { FoundPath } from '#graph/execution';
export type { PlanTree } from './result/query-result.ts';
export {
  type Cell,
  type GroupRow,
  type ImpactedEntity,
  LinkCell,
  NodeCell,
  type QueryItems,
  type QueryResult,
} from './result/query-result.ts';
export {
  isParameterValue,
  PARAMETER_VALUES_SHAPE,
  PARAMETERS_SHAPE,
  type ParameterValue,
  type QueryParameter,
} from './saved/query-parameter.ts';
export { parseQueryJson, parseQueryYaml, parseSavedQuery, queryYaml } from './saved/query-set.ts';
export { CLASS_ICONS, ClassStyles, type ClassStyle, parseClassStyle } from './saved/class-style.ts';
export type { Kept } from './saved/named-documents.ts';
export { type KeptQuery, type QueriesReply, SavedQueries } from './saved/saved-queries.ts';
export { parseSavedView, RESULT_VIEWS, type SavedView, SavedViews } from './saved/saved-view.ts';
export type { SavedQuery } from './saved/saved-query.ts';
export { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from './service/query-settings.ts';
export { parseQueryRequest, type QueryRequest } from './service/query-request.ts';
export { formatQuery } from './service/format-query.ts';
export { createQueryService, type OpenResult, QueryService } from './service/query-service.ts';
export { QuerySettings } from './service/query-settings.ts';
export {
  DiffService,
  type EntityChangesReply,
  type EntityChangesRequest,
  type RecordDiffReply,
  type RecordDiffRequest,
  type RowDiffReply,
  type RowDiffRequest,
} from './diff/diff-service.ts';
export { type AskedSpan, DiffSpans } from './diff/diff-span.ts';
export { explainFault } from './syntax/fault.ts';
export type { QueryParameters } from './value/parameters.ts';
