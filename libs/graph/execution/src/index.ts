export { BoundedMap } from './bounded-map.ts';
export { firstPlaces, placesFrom, sortedPlaces } from './context/cooperative-sort.ts';
export { emptyBuffer, ExecutionContext } from './context/execution-context.ts';
export { NodeList } from './context/node-list.ts';
export { MarkPool, type NodeMarks } from './context/node-marks.ts';
export { Pace } from './context/pace.ts';
export { type Actual, Profile } from './context/profile.ts';
export { DataState } from './data-state.ts';
export { ExecutionSettings, memoryMaxOf } from './execution-settings.ts';
export type { GraphReader } from './graph-reader.port.ts';
export { searchPaths } from './path/path-search.ts';
export { type FoundPath, pathBytes, type PathDemand } from './path/path-walks.ts';
export { allOf, compileCondition, type Condition, conjuncts, filterOf, negate } from './pattern/condition.ts';
export {
  elementsOf,
  type Pattern,
  type PatternBody,
  type PatternGroup,
  type PatternHop,
  type PatternNode,
  type PatternStep,
  type RowCondition,
} from './pattern/pattern.ts';
export { PlanTemplates } from './pattern/plan-templates.ts';
export type { Factor, Level, RowPlan } from './pattern/row-plan.ts';
export { planRows, type RowRequest } from './pattern/row-planner.ts';
export type { SetFilter, SetPlan } from './pattern/set-plan.ts';
export { SetPlanner, type SetPlannerOptions } from './pattern/set-planner.ts';
export { ReaderStatistics, type Statistics } from './pattern/statistics.ts';
export {
  createScheduler,
  type ExecutionTurns,
  QueryScheduler,
  type ScheduledQuery,
  SLICE_MS,
} from './query-scheduler.ts';
export { fieldKey } from './row/end-merge.ts';
export { RowEnumerator } from './row/row-enumerator.ts';
export { countedRows, CountSink, type RowSink, TableSink } from './row/row-sink.ts';
export { NO_ELEMENT, RowTable } from './row/row-table.ts';
export { isStarCounted } from './row/star-count.ts';
export { compareLinks } from './set/link-order.ts';
export { ascending, newNodes, numbersOf } from './set/node-numbers.ts';
export { NodeSet } from './set/node-set.ts';
export { type KnownNodes, SetExecutor } from './set/set-executor.ts';
export { compareText, compareValues } from './value-order.ts';
