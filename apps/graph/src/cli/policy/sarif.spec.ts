import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { createRequire } from 'node:module';
import type { ReportLine } from './rule-report.ts';
import { sarifReport } from './sarif.ts';

interface SarifSchema extends Readonly<Record<string, unknown>> {
  readonly $schema: string;
  readonly id: string;
}

const require = createRequire(import.meta.url);
const { id: $id, ...schema } =
  require('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json') as SarifSchema;
// The schema declares draft 4, and is valid draft 7 except for the name of `id`.
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
const ajv = new Ajv({
  allErrors: true,
  strict: false,
  unicodeRegExp: false,
  formats: {
    uri: (text) => URL.canParse(text),
    'uri-reference': (text) => URL.canParse(text, 'file:///'),
    'date-time': (text) => !Number.isNaN(Date.parse(text)),
  },
});
const isSarif = ajv.compile({ ...schema, $id, $schema: DRAFT_7 });

const faultsOf = (log: unknown) =>
  isSarif(log) ? [] : isSarif.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`);

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
        line({ severity, ruleId: `r${at}`, status: 'fail', findings: [finding('host/a')] }),
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
      'rules that broke or were skipped',
      [
        line({ status: 'error', message: 'QUERY_TIMEOUT: took too long' }),
        line({ ruleId: 'b', status: 'skipped' }),
      ],
    ],
  ])('is valid by the schema of the standard: %s', (_what, lines) => {
    expect(faultsOf(JSON.parse(sarifReport(lines)))).toEqual([]);
  });

  it('fails validation against the schema when a field is wrong', () => {
    const log = JSON.parse(sarifReport([line({ status: 'fail', findings: [finding('host/a')] })])) as {
      runs: [{ results: [{ level: string; ruleIndex: number }] }];
    };
    log.runs[0].results[0].level = 'high';
    log.runs[0].results[0].ruleIndex = -2;

    expect(faultsOf(log)).toEqual([
      '/runs/0/results/0/ruleIndex must be >= -1',
      '/runs/0/results/0/level must be equal to one of the allowed values',
    ]);
  });
});
