export { EXTENSION_ENDPOINTS, SPECIFIED_ENDPOINTS } from './endpoint/admin-endpoint.ts';
export { METRIC_FAMILIES } from './metrics/metrics-text.ts';
export { ADMIN_LIMITS, type AdminLimits } from './server/admin-limits.ts';
export { AdminServer, type AdminServerParts } from './server/admin-server.ts';
