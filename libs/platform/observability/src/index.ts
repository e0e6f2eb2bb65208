export { createLogger, Log, type Logger, type LoggerOptions } from './logging/create-logger.ts';
export { createLineLog, type LineLog } from './logging/line-log.ts';
export { HttpMetrics } from './metrics/http-metrics.ts';
