/**
 * The tests of a connector module: a file that exports `tests`, a function that receives the kit and returns
 * them by name. Like the module, it imports nothing of Plexus.
 *
 *     export const tests = ({ run }) => ({
 *       'reads the listing': async () => { const { entities } = await run({ config: { … } }); … },
 *     });
 */
import { pathToFileURL } from 'node:url';
import { DomainError } from '#platform/foundation';
import type { ConnectorType } from '../config/connector-type.ts';
import { failureMessage } from '../run/report-text.ts';
import { connectorMatchers } from './matchers.ts';
import { runConnector, type TestRun, type TestRunOptions } from './run-connector.ts';

export interface ModuleTest {
  readonly name: string;
  /** Why it failed. */
  readonly fault: string | undefined;
}

interface TestExports {
  readonly tests?: (kit: object) => unknown;
}

/** Runs the tests of a file one after the other. Throws INVALID_REQUEST for a file without tests. */
export async function* testModule(type: ConnectorType, file: string): AsyncGenerator<ModuleTest> {
  const run = (options: TestRunOptions): Promise<TestRun> => runConnector(type, options);
  const module = (await import(pathToFileURL(file).href)) as TestExports;
  const given = typeof module.tests === 'function' ? module.tests({ run, matchers: connectorMatchers }) : {};
  const tests = Object.entries(given ?? {});
  if (tests.length === 0)
    throw new DomainError('INVALID_REQUEST', 'expected a file that exports tests: ({ run }) => ({ … })');
  for (const [name, test] of tests) yield { name, fault: await faultOf(test) };
}

async function faultOf(test: unknown): Promise<string | undefined> {
  if (!isTest(test)) return 'expected a function';
  try {
    await test();
    return undefined;
  } catch (error) {
    // All lines: assertions show the difference in several.
    return error instanceof Error ? error.message : failureMessage(error, []);
  }
}

function isTest(value: unknown): value is () => unknown {
  return typeof value === 'function';
}
