import { VERSION } from '../../version.ts';
import type { ReportedFinding, ReportLine } from './rule-report.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
const LEVELS: Readonly<Record<string, string>> = { critical: 'error', high: 'error', medium: 'warning' };

/** The report as SARIF 2.1.0: a result for each finding; waived ones are suppressed, with the reason. */
export function sarifReport(lines: readonly ReportLine[]): string {
  const errors = lines.filter(({ status }) => status === 'error');
  const run = {
    tool: { driver: { name: 'plexus', version: VERSION, rules: lines.map(ruleOf) } },
    invocations: [
      {
        executionSuccessful: errors.length === 0,
        toolExecutionNotifications: [
          ...errors.map(({ ruleId, message }) => notification('error', ruleId, message)),
          ...lines.flatMap(({ ruleId, warnings }) =>
            warnings.map((message) => notification('warning', ruleId, message)),
          ),
        ],
      },
    ],
    results: lines.flatMap((line, index) => line.findings.map((finding) => resultOf(line, index, finding))),
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

function notification(level: 'error' | 'warning', ruleId: string, text: string): object {
  return { level, message: { text }, associatedRule: { id: ruleId } };
}

function ruleOf({ ruleId, name, severity }: ReportLine): object {
  return {
    id: ruleId,
    shortDescription: { text: name },
    defaultConfiguration: { level: levelOf(severity) },
    properties: { severity },
  };
}

function resultOf(
  { ruleId, name, severity }: ReportLine,
  ruleIndex: number,
  finding: ReportedFinding,
): object {
  const { label, findingId, waived } = finding;
  return {
    ruleId,
    ruleIndex,
    level: levelOf(severity),
    message: { text: `${name}: ${label}` },
    locations: [{ logicalLocations: [{ fullyQualifiedName: label, kind: 'resource' }] }],
    partialFingerprints: { findingId },
    ...(waived !== undefined && { suppressions: [{ kind: 'external', justification: waived }] }),
  };
}

function levelOf(severity: string): string {
  return LEVELS[severity] ?? 'note';
}
