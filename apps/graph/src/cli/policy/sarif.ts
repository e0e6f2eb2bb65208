import { VERSION } from '#platform/foundation';
import { bySeverity, type ReportedFinding, type ReportLine, totalsOf } from './rule-report.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
const LEVELS: Readonly<Record<string, string>> = { critical: 'error', high: 'error', medium: 'warning' };

/**
 * The report as SARIF 2.1.0: a result for each finding, most severe first; waived findings are suppressed,
 * with the reason. The run's properties contain the number of results and of those left out.
 */
export function sarifReport(lines: readonly ReportLine[]): string {
  const { total, omitted } = totalsOf(lines);
  const errors = lines.filter(({ status }) => status === 'error');
  const run = {
    tool: { driver: { name: 'plexus', version: VERSION, rules: lines.map(ruleOf) } },
    invocations: [
      {
        executionSuccessful: errors.length === 0,
        toolExecutionNotifications: [
          ...errors.map(({ ruleId, message }) => notification('error', ruleId, message)),
          ...lines
            .filter(({ status }) => status === 'no_data')
            .map(({ ruleId, message }) => notification('warning', ruleId, message)),
          ...lines.flatMap(({ ruleId, warnings }) =>
            warnings.map((message) => notification('warning', ruleId, message)),
          ),
        ],
      },
    ],
    results: bySeverity(lines).flatMap((line) =>
      line.findings.map((finding) => resultOf(line, lines.indexOf(line), finding)),
    ),
    properties: { total_results: total, omitted_results: omitted },
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

function notification(level: 'error' | 'warning', ruleId: string, text: string): object {
  return { level, message: { text }, associatedRule: { id: ruleId } };
}

function ruleOf({ ruleId, name, severity, description, remediation, frameworks }: ReportLine): object {
  return {
    id: ruleId,
    shortDescription: { text: name },
    ...(description !== '' && { fullDescription: { text: description } }),
    ...(remediation !== '' && { help: { text: remediation } }),
    defaultConfiguration: { level: levelOf(severity) },
    properties: {
      severity,
      frameworks,
      tags: frameworks.map(({ framework, control }) => `${framework} ${control}`),
    },
  };
}

function resultOf(
  { ruleId, name, severity, description, remediation, frameworks }: ReportLine,
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
    properties: { description, remediation, frameworks },
    ...(waived !== undefined && { suppressions: [{ kind: 'external', justification: waived }] }),
  };
}

function levelOf(severity: string): string {
  return LEVELS[severity] ?? 'note';
}
