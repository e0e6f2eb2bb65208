import { boundOf, decidingReasons, exitCodeOf, headlineOf, type Report, reportSummary } from '#load/report';

/** The flags that change the exit code of a verdict. */
export interface Tolerance {
  /** An unknown verdict exits with 0. */
  readonly allowsUnknown: boolean;
  /** Reservations exit with 10. */
  readonly isStrict: boolean;
}

/** The exit code of the command for an ended run. */
export function exitCodeOfReport({ verdict }: Report, tolerance: Tolerance): number {
  return exitCodeOf(verdict, tolerance);
}

/** The result of a run as JSON, without its series and evidence. */
export function summaryJson(report: Report, url: string, tolerance: Tolerance): string {
  const { headline, ...figures } = reportSummary(report);
  const result = {
    headline,
    exit_code: exitCodeOfReport(report, tolerance),
    ...figures,
    report_url: url,
  };
  return `${JSON.stringify(result, null, 2)}\n`;
}

/** The result of a run as text: the verdict, then its reasons, then figures. */
export function resultText(report: Report, url: string): string {
  const { name, status, reason, findings } = report;
  return [
    `${name}: ${status}${reason === null ? '' : ` (${reason})`}`,
    ...verdictLines(report),
    ...oracleLines(report),
    ...thresholdLines(report),
    ...countLines(report),
    ...latencyLines(report),
    ...findings.map(
      ({ code, edge_id: edgeId, message }) =>
        `  note: ${code}${edgeId === null ? '' : ` ${edgeId}`}: ${message}`,
    ),
    `  report: ${url}`,
  ].join('\n');
}

/** The headline, and the reasons that do not decide the verdict. */
function verdictLines({ verdict }: Report): readonly string[] {
  const deciding = new Set(decidingReasons(verdict));
  const others = verdict.reasons.filter((reason) => !deciding.has(reason));
  return [headlineOf(verdict), ...others.map(({ message }) => `  also: ${message}`)];
}

function oracleLines({ oracle }: Report): readonly string[] {
  return Object.entries(oracle).map(([check, { verdict, coverage, violation_count: violations }]) => {
    const seen = `${count(coverage.checked)} of ${count(coverage.total)} checked`;
    return `  ${check.padEnd(8)} ${verdict}, ${seen}${violations === 0 ? '' : `, ${count(violations)} violations`}`;
  });
}

function thresholdLines({ thresholds }: Report): readonly string[] {
  return thresholds.map((threshold) => {
    const { metric, value, is_met: isMet, is_default: isDefault } = threshold;
    const shown = value === null ? 'not measured' : String(Number(value.toPrecision(6)));
    const stand = isMet === null ? 'not known' : isMet ? 'met   ' : 'MISSED';
    return `  ${stand} ${metric}: ${shown}, expected ${boundOf(threshold)}${isDefault ? ' (default)' : ''}`;
  });
}

function countLines({ summary, stages }: Report): readonly string[] {
  const { planned, sent, included, rejected, unknown, not_sent, not_sent_reasons, reverted, measured } =
    summary;
  const why = not_sent_reasons.map(({ reason, count: of }) => `${reason.replaceAll('_', ' ')} ${count(of)}`);
  const lines = [
    `  planned ${count(planned)}, sent ${count(sent)}, not sent ${count(not_sent)}` +
      `${why.length === 0 ? '' : ` (${why.join(', ')})`}, included ${count(included)}, ` +
      `reverted ${count(reverted)}, rejected ${count(rejected)}, unknown ${count(unknown)}`,
  ];
  if (stages.some(({ is_excluded: isExcluded }) => isExcluded)) {
    lines.push(`  measured: planned ${count(measured.planned)}, sent ${count(measured.sent)}`);
  }
  return lines;
}

function latencyLines({ latency }: Report): readonly string[] {
  const names = {
    intended_feed: 'feed latency',
    ...(latency.intended_feed === null && { intended_block: 'block latency' }),
    send_ack: 'ack latency',
    send_delay: 'send delay',
  } as const;
  return Object.entries(names).flatMap(([key, name]) => {
    const figures = latency[key as keyof typeof names];
    if (figures === null) return [];
    const ms = (value: number): string => `${value.toFixed(1)} ms`;
    return `  ${name}: p50 ${ms(figures.p50)}, p99 ${ms(figures.p99)}, max ${ms(figures.max)}`;
  });
}

function count(value: number): string {
  return value.toLocaleString('en');
}
