import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Run, runProgram, startServer } from './support/built-program.ts';

const LINES = ['web-01', 'web-02', 'lab-1']
  .map(
    (key) =>
      `${JSON.stringify({ op: 'entity', type: 'host', key, properties: { edr: key === 'web-01' } })}\n`,
  )
  .join('');
const RULES = `version: 1
rules:
  - id: edr
    name: Hosts without <EDR>
    severity: high
    query: "FIND host WITH edr = false"
    exceptions: [{ match: "_key = 'lab-1'", reason: "a lab" }]
    tests:
      - name: a host without fails
        entities: [{ type: host, key: h1, properties: { edr: false } }]
        expect: { status: fail, violations: [h1] }
  - id: broken
    severity: low
    query: "FIND host WITH os = $os"
    parameters: { os: { type: string } }
  - { id: fine, query: "FIND spaceship" }
`;

interface Sarif {
  readonly version: string;
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
    readonly results: readonly {
      readonly ruleId: string;
      readonly level: string;
      readonly suppressions?: object[];
    }[];
  }[];
}

interface WholeSarif {
  readonly runs: readonly [
    {
      readonly properties: object;
      readonly results: readonly { readonly ruleId: string; readonly properties: object }[];
    },
  ];
}

describe('plexus policy', () => {
  let directory: string;
  let rules: string;
  let dataDir: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-policy-'));
    dataDir = join(directory, 'data');
    rules = directory;
    await writeFile(join(rules, 'a.yaml'), RULES);
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const policy = (...args: string[]): Promise<Run> => runProgram(['policy', ...args]);
  const load = () => runProgram(['ingest', '-', '--data-dir', dataDir], { stdin: LINES });
  const evaluate = (...args: string[]): Promise<Run> =>
    policy('evaluate', rules, '--data-dir', dataDir, ...args);

  it('checks rule files and reports the position of errors', async () => {
    const fine = await policy('validate', rules);
    await writeFile(join(rules, 'b.yaml'), 'rules:\n  - id: x\n    query: FIND host LIMIT ten\n');
    const faulty = await policy('validate', rules);
    const missing = await policy('validate', join(directory, 'nowhere'));

    expect(fine).toEqual({ code: 0, stdout: 'well-formed: 3 rules with 1 test\n', stderr: '' });
    expect([faulty.code, faulty.stdout]).toEqual([1, '']);
    expect(faulty.stderr).toMatch(/b\.yaml:3:12: query: .*line 1, column 17/);
    expect(missing.code).toBe(2);
  });

  it('runs the tests in rule files', async () => {
    const fine = await policy('test', rules);
    await writeFile(join(rules, 'a.yaml'), RULES.replace('violations: [h1]', 'violations: [h2]'));
    const failed = await policy('test', rules, '--format', 'junit');

    expect(fine.code).toBe(0);
    expect(fine.stdout).toMatch(/^pass +edr +a host without fails/m);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain('<testsuites tests="1" failures="1" errors="0" skipped="0"');
    expect(failed.stdout).toContain('message="expected violations [h2], got [h1]"');
  });

  it('evaluates rule files on a data directory as of a moment', async () => {
    await load();

    const empty = await evaluate('--as-of', '0');
    const full = await evaluate('--as-of', '1');
    const future = await evaluate('--as-of', '1000');
    const malformed = await evaluate('--as-of', 'yesterday');
    const server = await policy('evaluate', '--as-of', '0', '--url', 'http://127.0.0.1:1');

    expect(empty.stdout).toMatch(/^NoData +high +edr +0 /m);
    expect(full.stdout).toMatch(/^Fail +high +edr +1 +1 +host\/web-02$/m);
    expect([future.code, future.stderr]).toEqual([
      1,
      expect.stringContaining('expected a sequence number up to 1'),
    ]);
    expect([malformed.code, server.code]).toEqual([2, 1]);
    expect(server.stderr).toContain('127.0.0.1:1');
  });

  it('evaluates rule files on a data directory, and shows a table', async () => {
    await load();

    const run = await evaluate();

    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/^Fail +high +edr +1 +1 +host\/web-02$/m);
    expect(run.stdout).toMatch(/^Error +low +broken +0 +0 +MISSING_PARAMETER/m);
    expect(run.stdout).toMatch(/^NoData +medium +fine +0 +0 +\S.*spaceship/m);
    expect(run.stdout).toMatch(/^0 pass, 1 fail, 1 error, 1 no data, 0 skipped, 1 waived violations, /m);
    expect(run.stdout).toMatch(/^failed: 1 high$/m);
    const statuses = run.stdout.split('\n').map((line) => line.split(' ', 1)[0]);
    expect(statuses.filter((word) => ['Fail', 'Error', 'NoData'].includes(word ?? ''))).toEqual([
      'Fail',
      'Error',
      'NoData',
    ]);
    expect(run.stderr).toContain('broken, edr');
  });

  it('exits by the requested severity', async () => {
    await load();
    const codeOf = async (...args: string[]) => (await evaluate(...args)).code;

    expect(await codeOf('--fail-on', 'critical')).toBe(0);
    expect(await codeOf('--fail-on', 'high')).toBe(1);
    expect(await codeOf('--severity-min', 'critical')).toBe(0);
    expect(await codeOf('--fail-on', 'huge')).toBe(2);
    expect(await codeOf('--fail-on', 'nodata')).toBe(1);
    expect(await codeOf('--fail-on', 'critical,nodata')).toBe(0);
    expect(await codeOf('--format', 'xml')).toBe(2);
    expect((await policy('evaluate')).code).toBe(2);
  });

  it('rejects a server together with a directory, since a server evaluates its own rules', async () => {
    const nowhere = 'http://127.0.0.1:1';
    const both = await policy('evaluate', rules, '--url', nowhere);
    const data = await policy('evaluate', '--data-dir', dataDir, '--url', nowhere);

    expect([both.code, both.stdout, data.code, data.stdout]).toEqual([2, '', 2, '']);
    expect(both.stderr).toContain('expected a directory of rule files or --url, got both');
    expect(data.stderr).toContain('expected --data-dir or --url, got both');
  });

  it('writes JSON, JUnit and SARIF, also with a server in the environment', async () => {
    await load();
    const written = async (format: string) => {
      const args = ['policy', 'evaluate', rules, '--data-dir', dataDir, '--format', format];
      return (await runProgram(args, { environment: { PLEXUS_URL: 'http://127.0.0.1:1' } })).stdout;
    };

    const json = await written('json');
    const junit = await written('junit');
    const sarif = JSON.parse(await written('sarif')) as Sarif;

    expect(JSON.parse(json)).toMatchObject({ total: 3, pass: 0, fail: 1, error: 1, no_data: 1, waived: 1 });
    expect(junit).toContain('name="Hosts without &lt;EDR&gt;"');
    expect(junit).toContain('<failure type="high" message="1 violation">host/web-02</failure>');
    expect(junit).toContain('<error type="low" message="MISSING_PARAMETER');
    expect(junit).toMatch(/name="fine" time="[\d.]+"><skipped message="no data: [^"]*spaceship/);
    expect(sarif.version).toBe('2.1.0');
    expect(sarif.runs[0]?.tool.driver.rules.map(({ id }) => id)).toEqual(['broken', 'edr', 'fine']);
    expect(sarif.runs[0]?.results).toMatchObject([
      {
        ruleId: 'edr',
        level: 'error',
        locations: [{ logicalLocations: [{ fullyQualifiedName: 'host/web-02' }] }],
      },
      { ruleId: 'edr', suppressions: [{ kind: 'external', justification: 'a lab' }] },
    ]);
  });

  it('writes complete reports, or reports the number of omitted findings', async () => {
    const keys = Array.from({ length: 250 }, (_, at) => `h${at}`);
    const lines = keys.map((key) => `${JSON.stringify({ op: 'entity', type: 'host', key })}\n`).join('');
    await runProgram(['ingest', '-', '--data-dir', dataDir], { stdin: lines });
    await writeFile(
      join(rules, 'a.yaml'),
      `rules:
  - { id: all, severity: low, query: FIND host }
  - id: agents
    severity: critical
    query: FIND host WITH _key = 'h0'
    expect: { min: 3 }
    description: Three hosts are watched.
    remediation: Watch them.
    frameworks: [{ framework: CIS, control: '1.1' }]
`,
    );
    const report = async (...args: string[]) => (await evaluate('--format', ...args)).stdout;

    const whole = JSON.parse(await report('sarif')) as WholeSarif;
    const cut = JSON.parse(await report('sarif', '--max-results', '11')) as WholeSarif;
    const junit = await report('junit', '--max-results', '11');

    expect(whole.runs[0].properties).toEqual({ total_results: 251, omitted_results: 0 });
    expect(whole.runs[0].results).toHaveLength(251);
    expect(whole.runs[0].results[0]).toMatchObject({
      ruleId: 'agents',
      message: { text: 'agents: 2 results are missing' },
      properties: {
        description: 'Three hosts are watched.',
        remediation: 'Watch them.',
        frameworks: [{ framework: 'CIS', control: '1.1' }],
      },
    });
    expect(cut.runs[0].properties).toEqual({ total_results: 251, omitted_results: 240 });
    expect(cut.runs[0].results.map(({ ruleId }) => ruleId)).toEqual([
      'agents',
      ...keys.slice(0, 10).fill('all'),
    ]);
    expect(junit).toContain('<property name="omitted_results" value="240"/>');
    expect(junit).toContain('and 240 more, left out of this report');
    expect((await evaluate('--max-results', '3')).code).toBe(2);
  });

  it('cuts SARIF at the results that code scanning shows, most severe first, each at the id of its rule', async () => {
    const keys = Array.from({ length: 5_200 }, (_, at) => `h${at}`);
    const lines = keys.map((key) => `${JSON.stringify({ op: 'entity', type: 'host', key })}\n`).join('');
    await runProgram(['ingest', '-', '--data-dir', dataDir], { stdin: lines });
    await mkdir(join(directory, '.git'));
    rules = join(directory, 'my rules');
    await mkdir(rules);
    const text =
      'rules:\n  - { id: all, severity: low, query: FIND host }\n  - id: first\n    severity: high\n';
    await writeFile(join(rules, 'a.yaml'), `${text}    query: FIND host WITH _key = 'h7'\n`);

    const { stdout } = await evaluate('--format', 'sarif', '--max-results', '6000');
    const [{ properties, results }] = (JSON.parse(stdout) as WholeSarif).runs;

    expect(properties).toEqual({ total_results: 5_201, omitted_results: 201 });
    expect(results).toHaveLength(5_000);
    expect(results[0]).toMatchObject({
      ruleId: 'first',
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'my%20rules/a.yaml' },
            region: { startLine: 3, startColumn: 9, endLine: 3, endColumn: 14 },
          },
        },
      ],
    });
  });

  it('lists names missing from the data of a server, with the nearest known name', async () => {
    await load();
    const server = await startServer(['--data-dir', dataDir]);
    await writeFile(
      join(rules, 'a.yaml'),
      'rules: [{ id: typo, query: "FIND hosd WITH edr = $on", parameters: { on: { type: boolean } } }]',
    );

    const remarks = await policy('validate', rules, '--url', server.url);
    await writeFile(join(rules, 'a.yaml'), 'rules: [{ id: fine, query: "FIND host WITH edr = true" }]');
    const fine = await policy('validate', rules, '--url', server.url);
    await server.end('SIGTERM');

    expect([remarks.code, fine.code]).toEqual([0, 0]);
    expect(remarks.stdout).toContain('typo: no class or type `hosd` is known; did you mean `Host`?');
    expect(fine.stdout).toContain('all their words are known');
  });

  it('evaluates the rules of a server, which reloads its files on SIGHUP', async () => {
    await load();
    const server = await startServer(['--data-dir', dataDir, '--rules', rules]);
    const ask = () => policy('evaluate', '--url', server.url, '--format', 'json');

    const before = await ask();
    await writeFile(join(rules, 'b.yaml'), 'rules: [{ id: later, query: FIND host }]');
    const read = server.lineWith('policy.rules_read', 2);
    server.child.kill('SIGHUP');
    await read;
    const after = await ask();
    const code = await server.end('SIGTERM');

    expect(before.code).toBe(1);
    expect(JSON.parse(before.stdout)).toMatchObject({ total: 3 });
    expect(JSON.parse(after.stdout)).toMatchObject({ total: 4 });
    expect(code).toBe(0);
  });

  it('keeps rules, findings and history of a server killed during an evaluation', async () => {
    await load();
    const server = await startServer(['--data-dir', dataDir]);
    const post = (path: string, body: object) =>
      fetch(server.url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    await post('/v1/policies', { rules: [{ id: 'edr', query: 'FIND host WITH edr = false' }] });
    const first = (await (await post('/v1/policies/evaluate', {})).json()) as { started_at: string };
    const running = Array.from({ length: 5 }, () => post('/v1/policies/evaluate', {}).catch(() => undefined));
    await running[0];
    await server.end('SIGKILL');
    await Promise.all(running);

    const survivor = await startServer(['--data-dir', dataDir]);
    const again = JSON.parse(
      (await policy('evaluate', '--url', survivor.url, '--format', 'json')).stdout,
    ) as {
      results: { violations: { first_seen: string }[] }[];
    };
    const past = (await (await fetch(`${survivor.url}/v1/policies/evaluations`)).json()) as { count: number };
    await survivor.end('SIGTERM');

    expect(again.results[0]?.violations.map(({ first_seen: since }) => since)).toEqual([
      first.started_at,
      first.started_at,
    ]);
    expect(past.count).toBeGreaterThanOrEqual(3);
  });

  it('does not start with unreadable rules', async () => {
    await writeFile(join(rules, 'b.yaml'), 'rules: [{ id: x }]');

    const run = await runProgram(['serve', '--port', '0', '--data-dir', dataDir, '--rules', rules]);

    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/b\.yaml:1:\d+: expected one of query and cypher, got neither/);
  });
});
