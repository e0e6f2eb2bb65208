import type { Config } from 'jest';
import manifest from './package.json' with { type: 'json' };
import { type SpecProject, SpecProjects } from './tools/jest/spec-projects.ts';

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
  // Node resolves these for tests; Jest has to where it looks for the tests of a changed file.
  moduleNameMapper: {
    ...moduleDoors,
    '^#(testing|(?:platform|graph|proxy|load)/[a-z/]+)$': '<rootDir>/libs/$1/src/index.ts',
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
  runtime: '<rootDir>/tools/jest/native-runtime.mjs',
  testEnvironment: '<rootDir>/tools/jest/native-environment.mjs',
} satisfies Config;

const specs = new SpecProjects(import.meta.dirname).all();
const regexOf = (name: SpecProject): string =>
  `/(?:${specs[name].map((path) => path.replaceAll('.', '[.]')).join('|')})$`;

const config: Config = {
  projects: (['unit', 'laws', 'apps', 'browser', 'endurance'] as const).map((name) => ({
    ...project,
    displayName: name,
    testRegex: [regexOf(name)],
  })),
  // A test waits for events, not for time: the bound only ends what hangs, on a machine with other work too.
  testTimeout: 900_000,
  // A worker keeps what tests have loaded (ADR 0221): some 300 MB. One that has grown beyond is replaced.
  workerIdleMemoryLimit: '600MB',
};

export default config;
