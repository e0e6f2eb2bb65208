import { Ajv } from 'ajv';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT, withGraphService } from './support/graph-service.mjs';

export const source = 'the JSON schema of SARIF 2.1.0 (OASIS), as @microsoft/jest-sarif of npm has it, MIT';

const FORMATS = {
  uri: (text) => URL.canParse(text),
  'uri-reference': (text) => URL.canParse(text, 'file:///'),
  'date-time': (text) => !Number.isNaN(Date.parse(text)),
};

/** The starter rules over this repository's lock file: complete, truncated, and empty. */
export function run() {
  const rules = join(ROOT, 'rules', 'starter');
  const lock = join(ROOT, 'package-lock.json');
  return withGraphService(
    ({ url }) => {
      const faults = [[], ['--max-results', '3'], ['--framework', 'CIS-Controls-v8']].flatMap((args) =>
        faultsOf(report(url, args)).map((fault) => `${args.join(' ') || 'whole'}: ${fault}`),
      );
      return Promise.resolve({
        passed: 3 - Math.min(3, faults.length),
        failed: faults.length,
        notes: faults,
      });
    },
    ['--rules', rules, '--first-start', lock],
  );
}

function report(url, args) {
  const main = join(ROOT, 'dist', 'programs', 'graph.js');
  const command = ['policy', 'evaluate', '--url', url, '--format', 'sarif', ...args];
  const { stdout } = spawnSync(process.execPath, [main, ...command], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  return JSON.parse(stdout);
}

function faultsOf(log) {
  const require = createRequire(import.meta.url);
  const { id: $id, ...schema } = require('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
  const ajv = new Ajv({ allErrors: true, strict: false, unicodeRegExp: false, formats: FORMATS });
  // The schema declares draft 4, but except for the name of `id` it is valid as draft 7.
  const isSarif = ajv.compile({ ...schema, $id, $schema: 'http://json-schema.org/draft-07/schema#' });
  return isSarif(log) ? [] : isSarif.errors.map(({ instancePath, message }) => `${instancePath} ${message}`);
}
