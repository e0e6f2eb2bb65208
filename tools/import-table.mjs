/**
 * Which library may import which: the one table. dependency-cruiser's rules are made from it. Tests may
 * import anything, apps anything but `testing` and each other.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const MAY_IMPORT = {
  foundation: [],
  disk: ['foundation'],
  model: ['foundation'],
  observability: ['foundation', 'disk'],
  config: ['foundation', 'disk'],
  cli: ['foundation', 'config', 'disk'],
  storage: ['foundation', 'disk', 'observability'],
  graph: ['foundation', 'model', 'storage', 'observability'],
  query: ['foundation', 'model'],
  policy: ['foundation', 'config', 'model', 'query', 'observability'],
  connector: ['foundation', 'config', 'disk', 'model', 'observability'],
  auth: ['foundation', 'observability'],
  web: ['foundation', 'disk', 'observability'],
  openapi: ['foundation', 'disk', 'auth'],
  proxy: ['foundation', 'config', 'disk', 'observability'],
  admin: ['foundation', 'observability', 'auth', 'web', 'proxy'],
  chain: ['foundation'],
  telemetry: ['foundation', 'config', 'disk', 'observability'],
  coordination: ['foundation', 'config', 'disk', 'observability'],
  load: ['foundation', 'chain', 'config', 'observability', 'telemetry'],
  oracle: ['foundation', 'telemetry'],
  report: ['foundation', 'disk', 'telemetry', 'oracle'],
  rpc: ['foundation', 'disk', 'coordination', 'telemetry'],
};

/** Packages that one library alone may import: what it wraps for all others. */
export const WRAPPED_PACKAGES = [
  { name: 'fs', package: /^(node:)?fs(\/promises)?$/, library: 'disk' },
  { name: 'grpc', package: /^@grpc\/|\/@grpc\//, library: 'rpc' },
];
