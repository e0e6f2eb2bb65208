import { describe, it } from '@jest/globals';

/**
 * `describe`, or, where something is missing, what Jest counts as skipped, under a name that says why: a test
 * that did not run has not passed.
 */
export function describeUnless(missing: string | undefined): (name: string, tests: () => void) => void {
  if (missing === undefined) return describe;
  return (name, tests) => {
    describe.skip(`${name} (${missing})`, tests);
  };
}

/** In place of tests that cannot even be listed without what is missing. */
export function skipped(name: string, missing: string): void {
  it.skip(`${name} (${missing})`, () => undefined);
}
