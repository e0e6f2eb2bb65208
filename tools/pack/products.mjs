/**
 * @typedef {object} Product
 * @property {Readonly<Record<string, string>>} programs Program of dist/programs by its name.
 * @property {readonly string[]} libraries Folders of dist/libs whose worker threads it may start.
 * @property {readonly string[]} packages Packages that Nest loads by name at run time.
 * @property {readonly string[]} pages Of dist/web.
 * @property {readonly string[]} files Further files of the checkout, or whole folders. Globs of
 * `fs.globSync`.
 * @property {readonly string[]} packaging Names in packaging/systemd and packaging/etc.
 * @property {readonly string[]} docs Pages of docs/ for its readers, in addition to those of every product.
 */

/** Read by the page of the REST interface at run time. */
const SWAGGER = 'node_modules/swagger-ui-dist/{package.json,swagger-ui-bundle.js,swagger-ui.css}';

/** @type {Readonly<Record<string, Product>>} */
export const PRODUCTS = {
  plexus: {
    programs: { plexus: 'graph' },
    libraries: ['platform', 'graph'],
    packages: ['@grpc/grpc-js', '@grpc/proto-loader'],
    pages: ['console', 'docs'],
    files: [SWAGGER, 'rules/**/*.yaml', 'proto/graph.proto', 'docs/pql.md'],
    packaging: ['plexus.service', 'plexus.env', 'connectors/bill.yaml'],
    docs: [
      'console',
      'connectors',
      'errors',
      'grpc',
      'mcp',
      'notifications',
      'operations',
      'policies',
      'pql',
    ],
  },
  'plexus-proxy': {
    programs: { 'plexus-proxy': 'proxy-admin' },
    libraries: ['platform', 'proxy'],
    packages: [],
    pages: ['proxy', 'docs'],
    files: [SWAGGER],
    packaging: ['plexus-proxy.service', 'proxy.yaml'],
    docs: ['errors', 'proxy', 'proxy-configuration'],
  },
  'plexus-load': {
    programs: { 'plexus-hive': 'hive', 'plexus-edge': 'edge', 'plexus-sequencer': 'sequencer' },
    libraries: ['platform', 'load'],
    packages: ['@grpc/grpc-js', '@grpc/proto-loader'],
    pages: ['hive', 'docs'],
    // Native addons are loaded by names that are composed at run time.
    files: [
      SWAGGER,
      'proto/hive.proto',
      'node_modules/node-gyp-build/{package.json,index.js,node-gyp-build.js}',
      'node_modules/secp256k1/{package.json,bindings.js,lib/**/*.js,prebuilds/linux-x64/*.glibc.node}',
      'node_modules/@duckdb/node-bindings-linux-x64/{package.json,duckdb.node,libduckdb.so}',
    ],
    packaging: ['plexus-hive.service', 'plexus-edge.service', 'hive.env', 'edge.toml', 'scenario.yaml'],
    docs: ['edge-toml', 'errors', 'load-testing', 'scenario', 'sequencer'],
  },
};
