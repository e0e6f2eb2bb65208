/**
 * Loads the imports of tests by Node itself, in the realm of programs, and keeps them for the next test file
 * of the same process: packages and sources are compiled once per worker. Jest's own runtime compiles and
 * links every module for every file, in a separate realm (ADR 0221).
 *
 * Loaded for each file are the file itself, and Jest's `describe`, `it` and their state.
 */
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { jestGlobalsSource, jestGlobalsUrl, setJestGlobals } from './jest-globals.mjs';

const require = createRequire(import.meta.url);
const NATIVE_SYNTAX = {
  isInternalModule: false,
  supportsDynamicImport: true,
  supportsExportNamespaceFrom: true,
  supportsStaticESM: true,
  supportsTopLevelAwait: true,
};

/**
 * Source maps of all files of the process, by path and by URL: a module of an earlier file may be in a stack.
 */
const sourceMaps = new Map();
/** URL of the current test file. */
let testUrl;
let transformer;

function transformed(url) {
  const path = fileURLToPath(url);
  const { code, sourceMapPath } = transformer.transform(path, NATIVE_SYNTAX);
  if (sourceMapPath !== null) sourceMaps.set(url, sourceMapPath).set(path, sourceMapPath);
  return { format: 'module', source: code, shortCircuit: true };
}

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== '@jest/globals') return next(specifier, context);
    return { url: jestGlobalsUrl(context.parentURL, testUrl), format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    const source = jestGlobalsSource(url);
    if (source !== undefined) return { format: 'module', source, shortCircuit: true };
    const isOurs = url.startsWith('file:') && url.endsWith('.ts') && !url.includes('/node_modules/');
    return isOurs ? transformed(url) : next(url, context);
  },
});

/** The `jest` object of tests. Module mocks are not supported: tests inject replacements. */
function jestObject({ moduleMocker, fakeTimersModern: timers, global }) {
  const chained = (act) =>
    function chain(...args) {
      act(...args);
      return object;
    };
  const object = {
    fn: (implementation) => moduleMocker.fn(implementation),
    spyOn: (...what) => moduleMocker.spyOn(...what),
    restoreAllMocks: chained(() => moduleMocker.restoreAllMocks()),
    setTimeout: chained((ms) => (global[Symbol.for('TEST_TIMEOUT_SYMBOL')] = ms)),
    useFakeTimers: chained((options) => timers.useFakeTimers(options)),
    useRealTimers: chained(() => timers.useRealTimers()),
    advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
    advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
    getTimerCount: () => timers.getTimerCount(),
    runAllTimers: () => timers.runAllTimers(),
  };
  return object;
}

export default class NativeRuntime {
  #environment;

  constructor(_config, environment, _resolver, itsTransformer, _files, _coverage, testPath) {
    this.#environment = environment;
    transformer = itsTransformer;
    testUrl = pathToFileURL(testPath).href;
  }

  /** jest-circus, which keeps the tests of one file in its module: loaded for each file. */
  requireInternalModule(path) {
    Reflect.deleteProperty(require.cache, path);
    return require(path);
  }

  /** CommonJS modules named by Jest's settings; there are none. */
  requireModule(path) {
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    setJestGlobals({ ...globals, jest: jestObject(this.#environment) });
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(pathToFileURL(path).href);
  }

  getSourceMaps() {
    return sourceMaps;
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  enterTestCode() {}

  leaveTestCode() {}

  teardown() {}
}
