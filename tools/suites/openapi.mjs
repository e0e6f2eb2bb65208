import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { withGraphService } from './support/graph-service.mjs';

export const source = "Redocly's recommended rules for OpenAPI: @redocly/cli of npm, MIT";

/** Two paths of connectors match one request; the server prefers the one without a parameter. */
const KNOWN = ['no-ambiguous-paths'];

/** One check for each operation; each finding of the linter fails one. */
export function run() {
  return withGraphService(async ({ url, folder }) => {
    const document = await (await fetch(`${url}/docs-json`)).json();
    const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length;
    const remarks = lint(document, folder);
    const faults = remarks.filter(({ ruleId }) => !KNOWN.includes(ruleId));
    return {
      passed: Math.max(0, operations - faults.length),
      failed: faults.length,
      notes: remarks.map(noteOf),
    };
  });
}

function lint(document, folder) {
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  const cli = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [cli, 'lint', file, '--extends=recommended', '--format=json', '--max-problems=1000'],
    {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  );
  if (!stdout.includes('"problems"')) throw new Error(`the linter said nothing:\n${stderr}`);
  return JSON.parse(stdout.slice(stdout.indexOf('{'))).problems;
}

function noteOf({ severity, ruleId, message, location: [place] }) {
  return `${severity} ${ruleId}: ${message} ${place?.pointer ?? ''}`;
}
