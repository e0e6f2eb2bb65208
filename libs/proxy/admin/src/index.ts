export { answer, type Answer, COMMON_HEADERS, CONTENT_TYPE } from './answer/answer.ts';
export { clusterListAnswer } from './answer/summaries.ts';
export { configSummaryAnswer } from './answer/summaries.ts';
export { detailText, eventText, explanationAnswer } from './answer/detail.ts';
export { readyAnswer } from './answer/summaries.ts';
export { methodNotAllowedAnswer, notFoundAnswer, type RefusedRequest } from './answer/refusal.ts';
export {
  type AdminEndpoint,
  type AdminMethod,
  EXTENSION_ENDPOINTS,
  SPECIFIED_ENDPOINTS,
} from './endpoint/admin-endpoint.ts';
export { EndpointTable, type Match } from './endpoint/endpoint-table.ts';
export { METRIC_FAMILIES, metricsText } from './metrics/metrics-text.ts';
export { ADMIN_LIMITS, type AdminLimits } from './server/admin-limits.ts';
export { AdminServer } from './server/admin-server.ts';
