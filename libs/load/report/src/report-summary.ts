import type { Report } from './data/report.ts';

/** The result of a run without its series and evidence, as files and webhooks have it. */
export function reportSummary(report: Report): Readonly<Record<string, unknown>> {
  const { run_id, name, status, reason, verdict, headline, summary, latency, thresholds, oracle, findings } =
    report;
  const checks = Object.entries(oracle).map(([check, found]) => {
    const { verdict: own, coverage, violation_count, limits } = found;
    return [check, { verdict: own, coverage, violation_count, limits }] as const;
  });
  const percentiles = Object.entries(latency).map(([from, figures]) => {
    return [from, figures === null ? null : { ...figures, histogram: undefined }] as const;
  });
  return {
    run_id,
    name,
    status,
    reason,
    verdict,
    headline,
    summary,
    latency: Object.fromEntries(percentiles),
    thresholds,
    oracle: Object.fromEntries(checks),
    findings,
  };
}
