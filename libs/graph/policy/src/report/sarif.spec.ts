import { describe, expect, it } from '@jest/globals';
import { sarifFaults } from '../../test/sarif-schema.ts';
import type { ReportLine } from './rule-report.ts';
import { sarifReport } from './sarif.ts';

interface SarifLog {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly SarifRule[] } };
    readonly results: readonly SarifResult[];
  }[];
}

interface SarifText {
  readonly text: string;
}

interface SarifRule {
  readonly shortDescription: SarifText;
  readonly fullDescription: SarifText;
  readonly help: SarifText;
  readonly properties: { readonly tags: readonly string[]; readonly 'security-severity'?: string };
}

interface SarifResult {
  readonly locations: readonly {
    readonly physicalLocation?: {
      readonly artifactLocation: { readonly uri: string };
      readonly region: Readonly<Record<'startLine' | 'startColumn' | 'endLine' | 'endColumn', number>>;
    };
  }[];
  readonly partialFingerprints: Readonly<Record<string, string>>;
}

/** What code scanning requires beyond the schema, by the page "SARIF support for code scanning". */
function codeScanningFaults({ runs }: SarifLog): readonly string[] {
  const rules = runs.flatMap(({ tool }) => tool.driver.rules);
  const results = runs.flatMap((run) => run.results);
  const places = results.map(({ locations }) => locations[0]?.physicalLocation);
  const isTooLong = ({ text }: SarifText) => text.length === 0 || text.length > 1_024;
  const checks: Readonly<Record<string, boolean>> = {
    'at most 20 runs, each of 25,000 rules': runs.length <= 20 && rules.length <= 25_000,
    'at most 5,000 results a run': runs.every((run) => run.results.length <= 5_000),
    'at most 10 tags a rule': rules.every(({ properties }) => properties.tags.length <= 10),
    'descriptions of 1 to 1,024 characters': !rules.some(
      ({ shortDescription, fullDescription }) => isTooLong(shortDescription) || isTooLong(fullDescription),
    ),
    'help of each rule': rules.every(({ help }) => help.text !== ''),
    'security-severity of 0.1 to 10.0': rules.every(
      ({ properties: { 'security-severity': score = '0.1' } }) => Number(score) > 0 && Number(score) <= 10,
    ),
    'one to 1,000 locations, the first in a file': results.every(
      ({ locations }) => locations.length <= 1_000 && locations[0]?.physicalLocation !== undefined,
    ),
    'files relative to the repository': places.every((place) => {
      const uri = place?.artifactLocation.uri ?? ':';
      return !uri.startsWith('/') && !/^[\w+.-]*:/.test(uri) && !uri.split('/').includes('..');
    }),
    'complete regions': places.every((place) => {
      const { startLine = 0, startColumn = 0, endLine = 0, endColumn = 0 } = place?.region ?? {};
      return startLine >= 1 && endLine >= startLine && startColumn >= 1 && endColumn >= startColumn;
    }),
    'a line hash of its own for each result':
      new Set(results.map(({ partialFingerprints: { primaryLocationLineHash: hash = '' } }) => hash)).size ===
      results.length,
  };
  return Object.keys(checks).filter((check) => checks[check] !== true);
}

const logOf = (lines: readonly ReportLine[]) => JSON.parse(sarifReport(lines)) as SarifLog;

const line = (more: Partial<ReportLine> = {}): ReportLine => ({
  ruleId: 'edr-1',
  name: 'Hosts without <EDR>',
  severity: 'high',
  status: 'pass',
  message: '0 violations',
  description: 'Every host runs an agent.',
  remediation: 'Deploy the agent.',
  frameworks: [{ framework: 'CIS-Controls-v8', control: '10.1' }],
  omitted: 0,
  findings: [],
  warnings: [],
  seconds: 0.1,
  ...more,
});
const finding = (label: string, waived?: string) => ({
  findingId: `edr-1:${label}`,
  label,
  ...(waived !== undefined && { waived }),
});

describe('SARIF report', () => {
  it.each([
    ['no rule', []],
    ['one that passed', [line()]],
    [
      'severities',
      ['critical', 'high', 'medium', 'low', 'info'].map((severity, at) =>
        line({ severity, ruleId: `r${at}`, status: 'fail', findings: [finding(`host/${at}`)] }),
      ),
    ],
    [
      'waived findings',
      [line({ status: 'fail', findings: [finding('host/a'), finding('host/b', 'a lab')] })],
    ],
    [
      'groups and odd names',
      [line({ name: '\u0007 "é" \n', status: 'fail', findings: [finding('prod,null'), finding('')] })],
    ],
    ['warnings', [line({ warnings: ['class Hots is not in the vocabulary'] })]],
    [
      'a rule of a file with an odd name',
      [
        line({
          status: 'fail',
          findings: [finding('host/a')],
          place: { path: 'policies/Wärme: 100%/a#b?.yaml', line: 7, column: 9 },
        }),
      ],
    ],
    [
      'long texts and many controls',
      [
        line({
          name: '🦊'.repeat(900),
          description: 'x'.repeat(5_000),
          remediation: '',
          frameworks: Array.from({ length: 40 }, (_, at) => ({ framework: 'CIS', control: `1.${at}` })),
        }),
        line({ ruleId: 'bare', description: '', remediation: '', frameworks: [] }),
      ],
    ],
    [
      'rules that broke or were skipped',
      [
        line({ status: 'error', message: 'QUERY_TIMEOUT: took too long' }),
        line({ ruleId: 'b', status: 'skipped' }),
      ],
    ],
  ])('is valid by the schema of the standard and the limits of code scanning: %s', (_what, lines) => {
    const log = logOf(lines);

    expect(sarifFaults(log)).toEqual([]);
    expect(codeScanningFaults(log)).toEqual([]);
  });

  it('has its results at the id of their rule, or at a path of the rule that no repository has', () => {
    const place = { path: 'policies/my rules.yaml', line: 7, column: 9 };
    const [run] = logOf([
      line({ status: 'fail', findings: [finding('host/a')], place }),
      line({ ruleId: 'from-api', status: 'fail', findings: [finding('host/b')] }),
    ]).runs;

    expect(run?.results.map(({ locations }) => locations[0]?.physicalLocation)).toEqual([
      {
        artifactLocation: { uri: 'policies/my%20rules.yaml' },
        region: { startLine: 7, startColumn: 9, endLine: 7, endColumn: 14 },
      },
      {
        artifactLocation: { uri: 'plexus-rules/from-api' },
        region: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 },
      },
    ]);
  });

  it('has the same fingerprints in each run, whatever else is found', () => {
    const fingerprints = (labels: readonly string[]) =>
      logOf([line({ status: 'fail', findings: labels.map((label) => finding(label)) })]).runs.flatMap((run) =>
        run.results.map(({ partialFingerprints }) => partialFingerprints),
      );

    expect(fingerprints(['host/a', 'host/b']).at(-1)).toEqual(fingerprints(['host/b'])[0]);
  });

  it('fails validation against the schema when a field is wrong', () => {
    const log = JSON.parse(sarifReport([line({ status: 'fail', findings: [finding('host/a')] })])) as {
      runs: [{ results: [{ level: string; ruleIndex: number }] }];
    };
    log.runs[0].results[0].level = 'high';
    log.runs[0].results[0].ruleIndex = -2;

    expect(sarifFaults(log)).toEqual([
      '/runs/0/results/0/ruleIndex must be >= -1',
      '/runs/0/results/0/level must be equal to one of the allowed values',
    ]);
  });
});
