/**
 * A test environment without a realm of its own: changes of a file to the process are undone when the file
 * ends.
 */
import { flushCompileCache } from 'node:module';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** Keys under which Jest keeps the tests of a file, and their time-out, in the global object. */
const OF_ONE_FILE = new Set(['JEST_STATE_SYMBOL', 'EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL']);

/** Signals that end a process in order; a loaded package may listen to them too, and end the process. */
const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'];

function forgetTests() {
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
    if (OF_ONE_FILE.has(symbol.description)) Reflect.deleteProperty(globalThis, symbol);
  }
}

function restoreVariables(before) {
  for (const name of Object.keys(process.env)) {
    if (!(name in before)) Reflect.deleteProperty(process.env, name);
  }
  Object.assign(process.env, before);
}

function restoreListeners(before) {
  for (const [signal, listeners] of before) {
    const left = process.rawListeners(signal).filter((listener) => !listeners.includes(listener));
    for (const listener of left) process.removeListener(signal, listener);
  }
}

export default class NativeEnvironment {
  global = globalThis;
  fakeTimers = null;
  #before = {
    console,
    directory: process.cwd(),
    exit: process.exit,
    exitCode: process.exitCode,
    listeners: SIGNALS.map((signal) => [signal, process.rawListeners(signal)]),
    variables: { ...process.env },
  };

  constructor({ projectConfig }) {
    forgetTests();
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  setup() {}

  teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    const { console, directory, exit, exitCode, listeners, variables } = this.#before;
    globalThis.console = console;
    process.exit = exit;
    process.exitCode = exitCode;
    process.chdir(directory);
    restoreVariables(variables);
    restoreListeners(listeners);
    forgetTests();
    // Threads, programs and other workers reuse the code compiled here.
    flushCompileCache();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
}
