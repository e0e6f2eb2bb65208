export { createLogger, Log, type Logger, type LoggerOptions } from './logging/create-logger.ts';
export { createLineLog, createLineRelay, type LineLog, type LineRelay } from './logging/line-log.ts';
export { HttpMetrics } from './metrics/http-metrics.ts';
export { startMetricsExport } from './metrics/start-metrics-export.ts';
export { TallyHistogram } from './metrics/tally-histogram.ts';
export {
  isTracing,
  PhaseTrace,
  type Span,
  startSpan,
  traced,
  tracedSteps,
  withinSpan,
} from './tracing/tracing.ts';
export { type RunningTracing, startTracing, type TracingOptions } from './tracing/start-tracing.ts';
export { parseTraceParent } from './tracing/trace-parent.ts';
