import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#disk';
import { makeRun } from '../../test/made-run.ts';
import { buildReport } from '../build-report.ts';
import { compareReports } from '../compare/compare-reports.ts';
import { renderJUnit } from '../junit/render-junit.ts';
import type { Report } from '../report.ts';
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

/** Every text of a document replaced, wherever it stands. */
function poisoned<T>(value: T): T {
  if (typeof value === 'string') return (Number.isNaN(Date.parse(value)) ? HOSTILE : value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(poisoned) as T;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, poisoned(item)])) as T;
}

describe('the page of a report', () => {
  it('says first whether it held', () => {
    const met = report.thresholds.map((threshold) => ({ ...threshold, is_met: true }));

    expect(renderHtml({ ...report, thresholds: met })).toContain('It held');
    expect(renderHtml(report)).toContain('It did not hold');
    expect(renderHtml(report)).toContain('tx failed ratio: 0.01, wanted at most 0.005');
  });

  it('does not call held what is inconclusive', () => {
    const nonce = {
      verdict: 'inconclusive',
      coverage: { checked: 80, total: 100 },
      violation_count: 0,
      gaps: [{ reason: 'feed_gap', count: 20 }],
      violations: [],
    } as const;

    const page = renderHtml({ ...report, thresholds: [], oracle: { ...report.oracle, nonce } });

    expect(page).toContain('Nothing broke, but not all was seen');
    expect(page).toContain('80 of 100 checked; feed gap (20)');
  });

  it('shows what was counted and has no row, so that kinds and totals agree', () => {
    const { summary } = report;
    const counted = {
      ...report,
      summary: { ...summary, sent: summary.sent + 7, unknown: summary.unknown + 7 },
    };

    expect(renderHtml(report)).not.toContain('counted, without a row');
    expect(renderHtml(counted)).toContain('counted, without a row');
  });

  it('draws its charts, runs no script and asks nothing of a network', () => {
    const page = renderHtml(report);

    expect(page.match(/<svg/g)?.length).toBe(4);
    expect(page).not.toMatch(/<script|<link|src=|@import|url\(|https?:\/\/(?!www\.w3\.org)/i);
  });

  it('escapes every text, whoever wrote it', () => {
    expect(renderHtml(poisoned(report))).not.toMatch(HOSTILE_TAGS);
    expect(renderComparison(compareReports(poisoned(report), report))).not.toMatch(HOSTILE_TAGS);
    expect(renderJUnit(poisoned(report))).not.toMatch(HOSTILE_TAGS);
  });

  it('stands without latencies, throughput, edges and checks', () => {
    const nothing = { send_ack: null, send_feed: null, intended_feed: null, send_delay: null };
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
    expect(page).toContain('No check was asked for');
  });
});

describe('the report as JUnit', () => {
  it('has a case for the run, each threshold and each check', () => {
    const xml = renderJUnit(report);

    expect(xml).toContain('<testsuites tests="6" failures="1"');
    expect(xml.match(/<testcase/g)?.length).toBe(6);
    expect(xml).toContain('expected tx_failed_ratio ≤ 0.005, measured 0.01');
  });
});

describe('a comparison', () => {
  it('finds nothing in a run and itself', () => {
    const { figures, differences } = compareReports(report, report);

    expect(new Set(figures.map(({ direction }) => direction))).toEqual(new Set(['same']));
    expect(differences).toEqual([]);
  });

  it('tells better from worse by what each figure means', () => {
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
});
