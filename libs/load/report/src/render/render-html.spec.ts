import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { makeRun } from '../../test/made-run.ts';
import { buildReport } from '../build-report.ts';
import { compareReports } from '../compare-reports.ts';
import type { LatencyFigures, OutcomeCounts, Report } from '../data/report.ts';
import { renderJUnit } from './render-junit.ts';
import type { VerdictState } from '../verdict/run-verdict.ts';
import { renderComparison } from './render-comparison.ts';
import { renderHtml } from './render-html.ts';

const HOSTILE = `</title><script>alert("1")</script><img src=x onerror='alert(2)'>&\u0000`;
const HOSTILE_TAGS = /<script|<img|onerror='/i;

let directory: string;
let report: Report;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'plexus-report-'));
  const disk = new NodeDisk();
  await makeRun(disk, directory);
  report = await buildReport(disk, directory);
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Replaces every text of a document. */
function poisoned<T>(value: T): T {
  if (typeof value === 'string') return (Number.isNaN(Date.parse(value)) ? HOSTILE : value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(poisoned) as T;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, poisoned(item)])) as T;
}

describe('the page of a report', () => {
  it.each<[VerdictState, string]>([
    ['held', 'Passed: every promise checked, every threshold met'],
    ['reservations', 'Passed with reservations'],
    ['failed', 'Failed'],
    ['unknown', 'Inconclusive'],
  ])('says first what it came to, and claims no more anywhere: %s', (state, head) => {
    const reasons =
      state === 'held' ? [] : [{ code: 'reverted', message: '3 <reverted>', count: 3 } as const];
    const judged = { ...report, verdict: { state, reasons } };

    const word = state === 'unknown' ? 'inconclusive' : state;
    const documents = [renderHtml(judged), renderJUnit({ ...judged, headline: head })];

    expect(documents[0]).toContain(`<strong>${head}</strong>`);
    if (state === 'held') return;
    expect(documents[0]).toContain('<li>3 &lt;reverted&gt;</li>');
    expect(documents[0]).toContain(`<b>${word}</b><span>1 reason</span>`);
    for (const text of documents) {
      expect(text).not.toMatch(
        /passed: |(?:every|all) (?:the )?promises?|promises? (?:was |were )?(?:kept|held)/i,
      );
    }
  });

  it('shows the limits of each check, and checks that were not run', () => {
    const { nonce, gas } = report.oracle;
    const page = renderHtml({ ...report, oracle: { ...(nonce && { nonce }), ...(gas && { gas }) } });

    expect(page.match(/It cannot see/g)?.length).toBe(3);
    expect(page).toContain('never run');
  });

  it('shows rates and counts of the measured stages', () => {
    const page = renderHtml(report);

    expect(page).toContain('sent: 320 of 320 planned');
    expect(page).toContain('included of 320 sent');
  });

  it('shows counted transactions without a row, so that kinds and totals agree', () => {
    const { summary } = report;
    const counted = {
      ...report,
      summary: { ...summary, sent: summary.sent + 7, unknown: summary.unknown + 7 },
    };

    expect(renderHtml(report)).not.toContain('counted, without a row');
    expect(renderHtml(counted)).toContain('counted, without a row');
  });

  it('contains its charts, no scripts and no network requests', () => {
    const page = renderHtml(report);

    expect(page.match(/<svg/g)?.length).toBe(4);
    expect(page).not.toMatch(/<script|<link|src=|@import|url\(|https?:\/\/(?!www\.w3\.org)/i);
  });

  it('escapes every text', () => {
    expect(renderHtml(poisoned(report))).not.toMatch(HOSTILE_TAGS);
    expect(renderComparison(compareReports(poisoned(report), report))).not.toMatch(HOSTILE_TAGS);
    expect(renderJUnit(poisoned(report))).not.toMatch(HOSTILE_TAGS);
  });

  it('renders without latencies, throughput, edges and checks', () => {
    const nothing = {
      send_ack: null,
      send_feed: null,
      intended_feed: null,
      send_delay: null,
      send_block: null,
      intended_block: null,
    };
    const empty = {
      ...report,
      latency: nothing,
      throughput: [],
      edges: [],
      kinds: [],
      errors: [],
      oracle: {},
    };

    const page = renderHtml(empty);

    expect(page).not.toMatch(/NaN|undefined|Infinity/);
    expect(page.match(/never run/g)?.length).toBe(3);
  });
});

describe('the report as JUnit', () => {
  it('has a case for the run, each threshold, each check, and the expectations of transactions', () => {
    const xml = renderJUnit(report);

    expect(xml).toContain('<testsuites tests="8" failures="1" errors="0" skipped="0"');
    expect(xml.match(/<testcase/g)?.length).toBe(8);
    expect(xml).toContain('expected tx_failed_ratio at most 0.005, measured 0.01');
    expect(xml).toContain('<property name="verdict" value="failed"/>');
  });

  it('marks unchecked cases as skipped with the reason, not as failed', () => {
    const thresholds = report.thresholds.map((threshold) => ({ ...threshold, is_met: true }));
    const oracle = { ...report.oracle };
    delete oracle.balance;
    const reasons = [{ code: 'balance_off', message: 'balance: switched off', count: 1 }] as const;
    const verdict = { state: 'unknown', reasons } as const;

    const xml = renderJUnit({ ...report, thresholds, oracle, verdict });

    expect(xml).toContain('failures="0" errors="0" skipped="1"');
    expect(xml).toContain('<skipped message="balance: switched off"/>');
  });
});

describe('a comparison', () => {
  it('reports no changes between a run and itself', () => {
    const { figures, differences } = compareReports(report, report);

    expect(new Set(figures.map(({ direction }) => direction))).toEqual(new Set(['same']));
    expect(differences).toEqual([]);
  });

  it('rates a change as better or worse by the meaning of each figure', () => {
    const summary = {
      ...report.summary,
      achieved_rate: report.summary.achieved_rate * 2,
      tx_failed_ratio: 0.5,
    };
    const { figures, differences } = compareReports(report, {
      ...report,
      summary,
      scenario: { name: 'faster' },
    });
    const direction = (name: string) => figures.find((figure) => figure.name === name)?.direction;

    expect([direction('achieved_rate'), direction('tx_failed_ratio')]).toEqual(['better', 'worse']);
    expect(differences).toContainEqual({ path: 'name', base: 'smoke', head: 'faster' });
  });

  it('rates a run of twice the length as the same, and ignores a change of a millisecond', () => {
    const { summary, latency } = report;
    const twice = (counts: OutcomeCounts): OutcomeCounts => ({
      ...counts,
      sent: counts.sent * 2,
      included: counts.included * 2,
      unknown: counts.unknown * 2,
    });
    const slower = (figures: LatencyFigures | null): LatencyFigures | null =>
      figures && { ...figures, p50: figures.p50 + 1, p90: figures.p90 + 1, p99: figures.p99 + 1 };
    const head = {
      ...report,
      duration_ms: report.duration_ms * 2,
      summary: { ...summary, ...twice(summary), measured: twice(summary.measured) },
      latency: { ...latency, send_delay: slower(latency.send_delay), send_ack: slower(latency.send_ack) },
    };

    const { figures } = compareReports(report, head);

    expect(figures.filter(({ direction }) => direction !== 'same')).toEqual([]);
  });
});
