/**
 * Allowed imports between libraries, in one table: a product imports the platform and itself.
 * dependency-cruiser's rules are generated from it. Tests may import anything, apps anything except test
 * libraries and each other.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const MAY_IMPORT = {
  'platform/foundation': [],
  'platform/disk': ['platform/foundation'],
  'platform/threads': ['platform/foundation'],
  'platform/observability': ['platform/foundation', 'platform/disk'],
  'platform/config': ['platform/foundation', 'platform/disk'],
  'platform/cli': ['platform/foundation', 'platform/config', 'platform/disk'],
  'platform/auth': ['platform/foundation', 'platform/observability'],
  'platform/http': ['platform/foundation', 'platform/disk', 'platform/observability', 'platform/auth'],
  'platform/grpc': [
    'platform/foundation',
    'platform/disk',
    'platform/observability',
    'platform/auth',
    'platform/http',
  ],

  'graph/model': ['platform/foundation'],
  'graph/memory': ['platform/foundation', 'platform/threads', 'graph/model'],
  'graph/storage': ['platform/foundation', 'platform/disk', 'platform/threads', 'platform/observability'],
  'graph/engine': [
    'platform/foundation',
    'platform/disk',
    'platform/observability',
    'graph/model',
    'graph/memory',
    'graph/storage',
  ],
  'graph/cluster': [
    'platform/foundation',
    'platform/disk',
    'platform/observability',
    'graph/model',
    'graph/memory',
    'graph/storage',
    'graph/engine',
  ],
  'graph/execution': ['platform/foundation', 'graph/model'],
  'graph/query': [
    'platform/foundation',
    'platform/config',
    'platform/observability',
    'graph/model',
    'graph/memory',
    'graph/engine',
    'graph/execution',
  ],
  'graph/cypher': [
    'platform/foundation',
    'platform/observability',
    'graph/model',
    'graph/memory',
    'graph/engine',
    'graph/execution',
  ],
  'graph/policy': [
    'platform/foundation',
    'platform/config',
    'platform/disk',
    'platform/threads',
    'platform/observability',
    'graph/model',
    'graph/memory',
    'graph/engine',
    'graph/execution',
    'graph/query',
  ],
  'graph/connector': [
    'platform/foundation',
    'platform/config',
    'platform/disk',
    'platform/observability',
    'graph/model',
    'graph/engine',
  ],
  'graph/notify': [
    'platform/foundation',
    'platform/config',
    'platform/disk',
    'platform/observability',
    'graph/engine',
    'graph/policy',
    'graph/connector',
  ],
  'graph/api/mcp': [
    'platform/foundation',
    'platform/disk',
    'platform/observability',
    'platform/auth',
    'platform/http',
    'graph/model',
    'graph/engine',
    'graph/query',
    'graph/policy',
  ],
  'graph/api/http': [
    'platform/foundation',
    'platform/disk',
    'platform/observability',
    'platform/auth',
    'platform/http',
    'graph/model',
    'graph/engine',
    'graph/query',
    'graph/cypher',
    'graph/policy',
    'graph/connector',
    'graph/notify',
  ],

  'graph/api/grpc': [
    'platform/foundation',
    'platform/observability',
    'platform/auth',
    'platform/http',
    'platform/grpc',
    'graph/model',
    'graph/engine',
    'graph/execution',
    'graph/query',
  ],

  'graph/api/bolt': ['platform/foundation', 'platform/observability', 'platform/auth', 'graph/cypher'],

  'proxy/engine': ['platform/foundation', 'platform/config', 'platform/disk', 'platform/observability'],
  'proxy/haproxy': ['platform/foundation', 'platform/disk', 'platform/observability', 'proxy/engine'],
  'proxy/admin': [
    'platform/foundation',
    'platform/observability',
    'platform/auth',
    'platform/http',
    'proxy/engine',
  ],

  'load/chain': ['platform/foundation'],
  'load/scenario': ['platform/foundation', 'platform/config'],
  'load/telemetry': [
    'platform/foundation',
    'platform/config',
    'platform/disk',
    'platform/threads',
    'platform/observability',
  ],
  'load/protocol': ['platform/foundation', 'platform/disk', 'platform/grpc', 'load/telemetry'],
  'load/worker': [
    'platform/foundation',
    'platform/config',
    'platform/disk',
    'platform/threads',
    'platform/observability',
    'platform/http',
    'platform/grpc',
    'load/chain',
    'load/telemetry',
    'load/protocol',
  ],
  'load/oracle': ['platform/foundation', 'load/telemetry'],
  'load/report': ['platform/foundation', 'platform/disk', 'load/telemetry', 'load/oracle'],
  'load/coordination': [
    'platform/foundation',
    'platform/config',
    'platform/disk',
    'platform/threads',
    'platform/observability',
    'platform/auth',
    'platform/http',
    'platform/grpc',
    'load/chain',
    'load/scenario',
    'load/telemetry',
    'load/protocol',
    'load/worker',
    'load/oracle',
    'load/report',
  ],
};

/**
 * As above, for the folders of web/: a page imports the kit and itself, and no server code.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const PAGES_MAY_IMPORT = {
  kit: [],
  console: ['kit'],
  docs: [],
  hive: ['kit'],
  proxy: ['kit'],
};

/** Packages that only the wrapping libraries may import. */
export const WRAPPED_PACKAGES = [
  {
    name: 'opentelemetry',
    package: /^@opentelemetry\/|\/@opentelemetry\//,
    libraries: ['platform/observability'],
  },
  { name: 'fs', package: /^(node:)?fs(\/promises)?$/, libraries: ['platform/disk'] },
  {
    name: 'grpc',
    package: /^(@grpc\/|grpc-health-check|protobufjs)|\/(@grpc|grpc-health-check|protobufjs)\//,
    libraries: ['platform/grpc', 'load/protocol', 'graph/api/grpc'],
  },
];
