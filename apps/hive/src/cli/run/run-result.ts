import type { Report } from '#report';
import { EXIT } from '../exit-code.ts';

/** What a shell learns of a run that has ended: a failure before a violation before a missed threshold. */
export function exitCodeOfReport({ status, oracle, thresholds }: Report): number {
  if (status === 'Failed') return EXIT.failed;
  if (Object.values(oracle).some(({ verdict }) => verdict === 'fail')) return EXIT.violation;
  return thresholds.some(({ is_met: isMet }) => !isMet) ? EXIT.thresholdMissed : EXIT.fine;
}

/** For machines: what came of a run, without its series and evidence. */
export function summaryJson(report: Report, url: string): string {
  const { run_id, name, status, reason, summary, latency, thresholds, oracle, findings } = report;
  const verdicts = Object.entries(oracle).map(([check, { verdict, coverage, violation_count }]) => {
    return [check, { verdict, coverage, violation_count }] as const;
  });
  const percentiles = Object.entries(latency).map(([from, figures]) => {
    return [from, figures === null ? null : { ...figures, histogram: undefined }] as const;
  });
  const result = {
    ...{ run_id, name, status, reason },
    exit_code: exitCodeOfReport(report),
    summary,
    latency: Object.fromEntries(percentiles),
    thresholds,
    oracle: Object.fromEntries(verdicts),
    findings,
    report_url: url,
  };
  return `${JSON.stringify(result, null, 2)}\n`;
}

/** For people: verdicts first, then figures. */
export function resultText(report: Report, url: string): string {
  const { name, status, reason, summary, findings } = report;
  return [
    `${name}: ${status}${reason === null ? '' : ` (${reason})`}`,
    ...oracleLines(report),
    ...thresholdLines(report),
    `  planned ${count(summary.planned)}, sent ${count(summary.sent)}, not sent ${count(summary.not_sent)}, ` +
      `included ${count(summary.included)}, rejected ${count(summary.rejected)}, unknown ${count(summary.unknown)}`,
    ...latencyLines(report),
    ...findings.map(
      ({ code, edge_id: edgeId, message }) =>
        `  note: ${code}${edgeId === null ? '' : ` ${edgeId}`}: ${message}`,
    ),
    `  report: ${url}`,
  ].join('\n');
}

function oracleLines({ oracle }: Report): readonly string[] {
  return Object.entries(oracle).map(([check, { verdict, coverage, violation_count: violations }]) => {
    const seen = `${count(coverage.checked)} of ${count(coverage.total)} checked`;
    return `  ${check.padEnd(8)} ${verdict}, ${seen}${violations === 0 ? '' : `, ${count(violations)} violations`}`;
  });
}

function thresholdLines({ thresholds }: Report): readonly string[] {
  return thresholds.map(({ metric, min, max, value, is_met: isMet }) => {
    const bounds = [
      ...(min === null ? [] : [`at least ${min}`]),
      ...(max === null ? [] : [`at most ${max}`]),
    ];
    const shown = value === null ? 'not measured' : String(Number(value.toPrecision(6)));
    return `  ${isMet ? 'met   ' : 'MISSED'} ${metric}: ${shown}, expected ${bounds.join(' and ')}`;
  });
}

function latencyLines({ latency }: Report): readonly string[] {
  const names = { intended_feed: 'feed latency', send_ack: 'ack latency', send_delay: 'send delay' } as const;
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
