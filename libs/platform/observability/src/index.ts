export {
  createLogger,
  Log,
  type LogFormat,
  type Logger,
  type LoggerOptions,
  type LogLevel,
} from './logging/create-logger.ts';
export { createLineLog, type LineLog } from './logging/line-log.ts';
export { HttpMetrics, type RequestFacts } from './metrics/http-metrics.ts';
