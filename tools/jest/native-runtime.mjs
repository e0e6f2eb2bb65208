/**
 * Loads what tests import as Node itself does, in the realm that programs run in, and keeps it for the next
 * test file of the same process: packages and sources are compiled once for each worker. Jest's own runtime
 * compiles and links every module anew for every file, in a realm of its own (ADR 0221).
 *
 * New for each file are the file itself, and Jest's `describe`, `it` and their state.
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

/** Of all files of the process, by path and by URL: a module of an earlier file may be in a stack. */
const sourceMaps = new Map();
/** Of the test file that runs now. */
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

/** What `jest` does for tests here. There is no mock of modules: what a test replaces it injects. */
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

  constructor(...[, environment, , itsTransformer, , , testPath]) {
    this.#environment = environment;
    transformer = itsTransformer;
    testUrl = pathToFileURL(testPath).href;
  }

  /** jest-circus, which keeps the tests of one file in its module: new for each. */
  requireInternalModule(path) {
    Reflect.deleteProperty(require.cache, path);
    return require(path);
  }

  /** Of what Jest's settings name, that is a CommonJS module; nothing is. */
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
