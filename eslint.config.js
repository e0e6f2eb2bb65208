/** The house limits, so that nobody argues. Inline exceptions are off: a limit is met by a better cut. */
import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import svelte from 'eslint-plugin-svelte';
import tseslint from 'typescript-eslint';
import { housePlugin } from './tools/lint/house-plugin.mjs';

const TESTS = ['**/*.spec.ts', '**/*.e2e-spec.ts', '**/test/**', 'libs/testing/**', 'libs/*/testing/**'];
const BESIDE_THE_PRODUCT = ['tools/**', 'bench/**', '*.config.{js,ts}', '.dependency-cruiser*.mjs'];

const SHAPE = [
  ...[
    'FunctionDeclaration[params.length>4]',
    ':not(Property[key.name="useFactory"]) > ArrowFunctionExpression[params.length>4]',
    ':not(MethodDefinition[kind="constructor"]) > FunctionExpression[params.length>4]',
    'TSMethodSignature[params.length>4]',
    'TSFunctionType[params.length>4]',
  ].map((selector) => ({ selector, message: 'more than 4 parameters: take one options object' })),
  // What Nest injects stands in one list, in a constructor as in a factory: a bag would only hide its length.
  ...[
    'MethodDefinition[kind="constructor"] > FunctionExpression[params.length>7]',
    'Property[key.name="useFactory"] > ArrowFunctionExpression[params.length>7]',
  ].map((selector) => ({ selector, message: 'more than 7 dependencies: the class does too much' })),
  {
    selector: 'TSAsExpression > TSAsExpression > TSUnknownKeyword',
    message: 'as unknown as hides a wrong type',
  },
  // Two ways round a limit: a parameter list in a tuple, and several properties on one line.
  {
    selector: ':function > RestElement > ArrayPattern',
    message: 'a tuple in place of parameters: name the parameters',
  },
  {
    selector: 'ObjectExpression > SpreadElement > ObjectExpression',
    message: 'a spread of a literal: write its properties',
  },
];
const ONE_DOOR = [
  { selector: 'ExportAllDeclaration', message: 'export by name' },
  { selector: 'ExportNamedDeclaration[source]', message: 'no barrel below src/index.ts' },
];
const TEST_HABITS = [
  {
    selector:
      'MemberExpression[object.name=/^(it|test|describe)$/][property.name=/^(only|skip|todo|failing)$/]',
    message: 'every test runs, every time',
  },
  {
    selector: 'CallExpression[callee.name=/^(xit|fit|xdescribe|fdescribe|xtest)$/]',
    message: 'every test runs, every time',
  },
  { selector: 'CallExpression[callee.name="setTimeout"]', message: 'await an event or turn the fake clock' },
];
const NODE_GLOBALS = ['clearTimeout', 'console', 'fetch', 'performance', 'process', 'setTimeout', 'URL'];
const ALL_DEFAULT_EXPORTS = {
  direct: true,
  named: true,
  defaultFrom: true,
  namedFrom: true,
  namespaceFrom: true,
};

export default defineConfig(
  globalIgnores([
    'tools/nodes/**',
    'web/*/api/generated/',
    'libs/**/src/generated/',
    'libs/graph/testing/src/grpc/graph-client.ts',
    'dist/',
    'node_modules/',
    'coverage/',
    'plexus-data/',
    'plexus-demo/',
    'plexus-hive-data/',
    '**/node_modules/',
  ]),
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  svelte.configs.recommended,
  {
    languageOptions: {
      parserOptions: {
        projectService: true,
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: ['.svelte'],
      },
    },
    plugins: { house: housePlugin },
    rules: {
      'house/file-name': 'error',
      'house/non-null-on-hot-path': 'error',
      // A switch over a closed union is one decision, however many kinds there are.
      complexity: ['error', { max: 12, variant: 'modified' }],
      eqeqeq: 'error',
      'max-len': [
        'error',
        {
          code: 110,
          ignoreUrls: true,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
        },
      ],
      'max-lines': ['error', 400],
      'max-lines-per-function': ['error', 70],
      'no-console': 'error',
      // What comes from outside is searched for control characters on purpose.
      'no-control-regex': 'off',
      'no-restricted-exports': ['error', { restrictDefaultExports: ALL_DEFAULT_EXPORTS }],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'node:process', importNames: ['env'], message: 'settings come through #platform/config' },
            { name: 'node:timers/promises', message: 'await an event, or take a Clock' },
            ...['fs', 'node:fs', 'fs/promises', 'node:fs/promises'].map((name) => ({
              name,
              message: 'files are reached through the port of #disk',
            })),
          ],
        },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'settings come through #platform/config' },
      ],
      'no-restricted-syntax': ['error', ...SHAPE, ...ONE_DOOR],
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'], location: 'start' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Marked so that it stands out; an issuer without TLS is allowed on this machine only.
      '@typescript-eslint/no-deprecated': [
        'error',
        { allow: [{ from: 'package', package: 'openid-client', name: 'allowInsecureRequests' }] },
      ],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // The house's own rule knows hot paths.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      // An async function without await turns what it throws into a rejection, as its port promises.
      '@typescript-eslint/require-await': 'off',
      // Nest declares bags of options as classes.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  {
    files: ['web/**/*.svelte', 'web/**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: tseslint.parser } },
    // A collection that no effect reads is a plain one.
    // svelte-check knows the names of the browser, and the types of components and snippets.
    rules: {
      'no-undef': 'off',
      'svelte/prefer-svelte-reactivity': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  { files: ['libs/platform/disk/**'], rules: { 'no-restricted-imports': 'off' } },
  { files: ['libs/platform/config/**'], rules: { 'no-restricted-properties': 'off' } },
  { files: ['apps/*/src/cli/**', 'libs/platform/cli/**'], rules: { 'no-console': 'off' } },
  {
    files: ['libs/{testing,*/*,*/*/*}/src/index.ts'],
    rules: { 'no-restricted-syntax': ['error', ...SHAPE, ONE_DOOR[0]] },
  },
  {
    files: TESTS,
    rules: {
      'max-lines': 'off',
      'max-lines-per-function': 'off',
      'no-restricted-imports': ['error', { paths: [{ name: 'node:timers/promises' }] }],
      'no-restricted-properties': 'off',
      'no-restricted-syntax': ['error', ...SHAPE, ...TEST_HABITS],
    },
  },
  {
    // The types of one syntax tree contain one another: parts of it in other files would be a cycle.
    files: ['libs/graph/cypher/src/syntax/ast.ts'],
    rules: { 'max-lines': ['error', 500] },
  },
  {
    // What says why a test does not run.
    files: ['libs/testing/src/describe-unless.ts'],
    rules: { 'no-restricted-syntax': ['error', ...SHAPE] },
  },
  {
    files: ['libs/{testing,*/testing}/src/index.ts'],
    rules: { 'no-restricted-syntax': ['error', ...SHAPE, ONE_DOOR[0]] },
  },
  {
    files: BESIDE_THE_PRODUCT,
    rules: {
      'no-console': 'off',
      'no-restricted-exports': 'off',
      'no-restricted-imports': 'off',
      'no-restricted-properties': 'off',
    },
  },
  {
    files: ['**/*.{js,mjs}'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: Object.fromEntries(NODE_GLOBALS.map((name) => [name, 'readonly'])) },
  },
);
