import { hash } from 'node:crypto';
import { VERSION } from '#platform/foundation';
import { bySeverity, type ReportedFinding, type ReportLine, totalsOf } from './rule-report.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
const LEVELS: Readonly<Record<string, string>> = { critical: 'error', high: 'error', medium: 'warning' };
/** GitHub derives its own severities from these scores; a rule without one is not about security there. */
const SCORES: Readonly<Record<string, string>> = { critical: '9.5', high: '8.0', medium: '5.5', low: '2.0' };

/** GitHub shows no more results of a run. */
export const SARIF_RESULTS_MAX = 5_000;
/** GitHub shows no more tags of a rule, and refuses a file with more than twice as many. */
const TAGS_MAX = 10;
const DESCRIPTION_LENGTH_MAX = 1_024;

/**
 * The report as SARIF 2.1.0, such that GitHub's code scanning accepts it: a result for each finding, most
 * severe first, at the position of its rule; waived findings are suppressed, with the reason. The run's
 * properties contain the number of results and of those left out.
 */
export function sarifReport(lines: readonly ReportLine[]): string {
  const { total, omitted } = totalsOf(lines);
  const indices = new Map(lines.map((line, index) => [line, index]));
  const run = {
    tool: { driver: { name: 'plexus', version: VERSION, rules: lines.map(ruleOf) } },
    invocations: [invocationOf(lines)],
    results: bySeverity(lines).flatMap((line) =>
      line.findings.map((finding) => resultOf(line, indices.get(line) ?? -1, finding)),
    ),
    properties: { total_results: total, omitted_results: omitted },
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

function invocationOf(lines: readonly ReportLine[]): object {
  const errors = lines.filter(({ status }) => status === 'error');
  return {
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
  };
}

function notification(level: 'error' | 'warning', ruleId: string, text: string): object {
  return { level, message: { text }, associatedRule: { id: ruleId } };
}

function ruleOf({ ruleId, name, severity, description, remediation, frameworks }: ReportLine): object {
  const score = SCORES[severity];
  const tags = frameworks.map(({ framework, control }) => `${framework} ${control}`);
  return {
    id: ruleId,
    shortDescription: { text: shortened(name) },
    fullDescription: { text: shortened(description || name) },
    help: { text: remediation || description || name },
    defaultConfiguration: { level: levelOf(severity) },
    properties: {
      severity,
      ...(score !== undefined && { 'security-severity': score }),
      frameworks,
      tags: [...new Set(['security', ...tags])].slice(0, TAGS_MAX),
    },
  };
}

function resultOf(line: ReportLine, ruleIndex: number, finding: ReportedFinding): object {
  const { ruleId, name, severity, description, remediation, frameworks } = line;
  const { label, findingId, waived, firstSeen, assignee } = finding;
  return {
    ruleId,
    ruleIndex,
    level: levelOf(severity),
    message: { text: `${name}: ${label}` },
    locations: [
      {
        physicalLocation: physicalLocation(line),
        logicalLocations: [{ fullyQualifiedName: label, kind: 'resource' }],
      },
    ],
    partialFingerprints: { findingId, primaryLocationLineHash: lineHash(findingId) },
    properties: { description, remediation, frameworks, ...(assignee !== undefined && { assignee }) },
    ...(firstSeen !== undefined && { provenance: { firstDetectionTimeUtc: firstSeen } }),
    ...(waived !== undefined && { suppressions: [{ kind: 'external', justification: waived }] }),
  };
}

/** A rule that is in no known file has a path of its own, which no repository has. */
function physicalLocation({ ruleId, place }: ReportLine): object {
  const { path, line, column } = place ?? { path: `plexus-rules/${ruleId}`, line: 1, column: 1 };
  const uri = path.split('/').map(encodeURIComponent).join('/');
  const endColumn = place === undefined ? column : column + ruleId.length;
  return {
    artifactLocation: { uri },
    region: { startLine: line, startColumn: column, endLine: line, endColumn },
  };
}

/** GitHub takes results with one hash at one position as one alert; those of a rule share a position. */
function lineHash(findingId: string): string {
  return `${hash('sha256', findingId).slice(0, 16)}:1`;
}

function shortened(text: string): string {
  if (text.length <= DESCRIPTION_LENGTH_MAX) return text;
  return `${text.slice(0, DESCRIPTION_LENGTH_MAX - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function levelOf(severity: string): string {
  return LEVELS[severity] ?? 'note';
}
