/** A Jest reporter that informs the runner of the start and end of each file, and of the first failure. */
import { relative } from 'node:path';

export default class FirstFailureReporter {
  #root;

  constructor({ rootDir }) {
    this.#root = rootDir;
  }

  onTestFileStart(test) {
    this.#say({ begins: this.#nameOf(test) });
  }

  onTestCaseResult(test, { status, fullName }) {
    if (status === 'failed') this.#say({ failed: this.#nameOf(test), test: fullName });
  }

  onTestFileResult(test, result) {
    const hasFailed = result.numFailingTests > 0 || result.testExecError !== undefined;
    if (hasFailed) this.#say({ failed: this.#nameOf(test), test: result.testExecError?.message ?? '' });
    else this.#say({ passed: this.#nameOf(test) });
  }

  onRunComplete() {
    this.#say({ done: true });
  }

  #nameOf({ path }) {
    return relative(this.#root, path);
  }

  #say(event) {
    process.stdout.write(`${JSON.stringify(event)}\n`);
  }
}
