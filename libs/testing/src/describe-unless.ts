import { describe, it } from '@jest/globals';

/**
 * `describe`, or a skipped test when something is missing, with the reason in its name: a test that did not
 * run has not passed.
 */
export function describeUnless(missing: string | undefined): (name: string, tests: () => void) => void {
  if (missing === undefined) return describe;
  return (name, tests) => {
    describe.skip(`${name} (${missing})`, tests);
  };
}

/** Replaces tests that cannot even be listed without the missing part. */
export function skipped(name: string, missing: string): void {
  it.skip(`${name} (${missing})`, () => undefined);
}
