export { ExecutionSettings, memoryMaxOf } from './execution-settings.ts';
export type { GraphReader } from './graph-reader.port.ts';
export {
  createScheduler,
  type ExecutionTurns,
  QueryScheduler,
  type ScheduledQuery,
  SLICE_MS,
} from './query-scheduler.ts';
