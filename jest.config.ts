import type { Config } from 'jest';
import manifest from './package.json' with { type: 'json' };

/** The doors of Nest modules, `#graph/query/module`, as Node's own table has them. */
const moduleDoors = Object.fromEntries(
  Object.entries(manifest.imports).flatMap(([name, target]) =>
    typeof target === 'object' && name.endsWith('/module')
      ? [[`^${name}$`, target['plexus-source'].replace('./', '<rootDir>/')]]
      : [],
  ),
);

/** Tests are ES modules, transformed by SWC; `#product/library` leads to the sources instead of the build. */
const project = {
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/test', '<rootDir>/tools', '<rootDir>/web'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    ...moduleDoors,
    '^#(testing|(?:platform|graph|proxy|load)/[a-z]+)$': '<rootDir>/libs/$1/src/index.ts',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  setupFiles: ['<rootDir>/test/setup.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/setup-after-env.ts'],
  testEnvironment: 'node',
} satisfies Config;

const LAWS = String.raw`\.(prop|golden|conformance)\.spec\.ts$`;
const ENDURANCE = String.raw`\.(crash|kill)\.spec\.ts$`;
const WHOLE = String.raw`/(apps|libs)/.*/test/.*spec\.ts$|\.e2e-spec\.ts$`;

const config: Config = {
  projects: [
    {
      ...project,
      displayName: 'unit',
      testMatch: ['**/*.spec.ts'],
      testPathIgnorePatterns: [LAWS, ENDURANCE, WHOLE],
    },
    { ...project, displayName: 'laws', testRegex: [LAWS] },
    { ...project, displayName: 'apps', testRegex: [WHOLE], testPathIgnorePatterns: [LAWS, ENDURANCE] },
    { ...project, displayName: 'endurance', testRegex: [ENDURANCE] },
  ],
  // Modules of finished files are not freed, and every collection walks them: a worker that has grown is
  // replaced. At 1 GB all tests took twice the processor time, and the crash suites up to ten times.
  workerIdleMemoryLimit: '400MB',
};

export default config;
