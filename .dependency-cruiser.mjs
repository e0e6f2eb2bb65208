import { MAY_IMPORT, PAGES_MAY_IMPORT, WRAPPED_PACKAGES } from './tools/import-table.mjs';

const TEST_FILES = String.raw`\.(spec|e2e-spec)\.ts$|/test/|^libs/testing/|^libs/[^/]+/testing/|^(test|bench|tools)/`;

/** The folder of a library: `graph/engine`; the interfaces of the graph service share `graph/api`. */
const LIBRARY = '(?:testing|graph/api/[^/]+|[^/]+/[^/]+)';

/** A library imports what its row of the table names, and nothing else of ours. */
const tableRules = Object.entries(MAY_IMPORT).map(([library, allowed]) => ({
  name: `${library.replace('/', '-')}-imports-by-the-table`,
  severity: 'error',
  comment: `tools/import-table.mjs: ${library} may import ${allowed.join(', ') || 'nothing'}`,
  from: { path: `^libs/${library}/`, pathNot: TEST_FILES },
  to: { path: '^(libs|apps|bench|tools)/', pathNot: `^libs/(${[library, ...allowed].join('|')})/` },
}));

const pageRules = Object.entries(PAGES_MAY_IMPORT).map(([page, allowed]) => ({
  name: `web-${page}-imports-by-the-table`,
  severity: 'error',
  comment: `tools/import-table.mjs: web/${page} may import ${['packages', ...allowed].join(', ')}`,
  from: { path: `^web/${page}/`, pathNot: TEST_FILES },
  to: { path: '^(web|libs|apps|bench|tools)/', pathNot: `^web/(${[page, ...allowed].join('|')})/` },
}));

const wrappedRules = WRAPPED_PACKAGES.map(({ name, package: wrapped, libraries }) => ({
  name: `only-${libraries.join('-').replaceAll('/', '-')}-imports-${name}`,
  severity: 'error',
  from: { path: '^(libs|apps)/', pathNot: `^libs/(${libraries.join('|')})/|${TEST_FILES}` },
  to: { path: wrapped.source },
}));

export default {
  forbidden: [
    ...tableRules,
    ...pageRules,
    ...wrappedRules,
    {
      name: 'library-without-a-row-in-the-table',
      severity: 'error',
      from: {
        path: '^libs/',
        pathNot: `^libs/(${Object.keys(MAY_IMPORT).join('|')}|testing|[^/]+/testing)/`,
      },
      to: {},
    },
    {
      name: 'only-through-the-front-door',
      severity: 'error',
      comment: 'another library is imported by its alias: src/index.ts, or src/<name>.module.ts for Nest',
      from: { path: `^(libs/${LIBRARY}|apps/[^/]+)/` },
      to: {
        path: '^libs/',
        // Demos run without Jest, which the front door of testing loads: its ports have a door of their own.
        pathNot: [
          `^libs/${LIBRARY}/src/(index|[^/]+[.]module)[.]ts$`,
          '^libs/testing/src/ports[.]ts$',
          '^$1/',
        ],
      },
    },
    {
      name: 'a-shared-store-knows-no-entities',
      severity: 'error',
      comment: 'only the check of a database runs nodes with a graph on them',
      from: { path: '^libs/graph/cluster/src/', pathNot: '^libs/graph/cluster/src/(check/|index[.]ts$)' },
      to: { path: '^libs/graph/(model|memory|engine)/' },
    },
    {
      name: 'no-app-imports-another',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: TEST_FILES },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'testing-is-for-tests',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: TEST_FILES },
      to: { path: '^libs/testing/|^libs/[^/]+/testing/|[.]spec[.]ts$' },
    },
    {
      name: 'page-without-a-row-in-the-table',
      severity: 'error',
      from: { path: '^web/', pathNot: `^web/(${Object.keys(PAGES_MAY_IMPORT).join('|')})/` },
      to: {},
    },
    {
      name: 'the-server-imports-no-page',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: TEST_FILES },
      to: { path: '^web/' },
    },
    { name: 'no-cycles', severity: 'error', from: { pathNot: '/api/generated/' }, to: { circular: true } },
    {
      name: 'everything-resolves',
      severity: 'error',
      comment: 'but the peers of the benchmarks, which are a dependency set of their own',
      from: { pathNot: '^bench/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'production-imports-dependencies-only',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: TEST_FILES },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ['plexus-source', 'import', 'node', 'default', 'types'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.js', '.mjs', '.svelte', '.json', '.d.ts'],
    },
  },
};
