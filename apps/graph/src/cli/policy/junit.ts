import { type ReportLine, totalsOf } from '#graph/policy';

const CONTROL = /[^\t\n\r\x20-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** The report as JUnit XML for CI systems, one test case for each line. */
export function junitReport(suite: string, lines: readonly ReportLine[]): string {
  const count = (status: ReportLine['status']): number =>
    lines.filter((line) => line.status === status).length;
  const skipped = count('skipped') + count('no_data');
  const facts = `tests="${lines.length}" failures="${count('fail')}" errors="${count('error')}" skipped="${skipped}"`;
  const time = lines.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${facts} time="${time}">`,
    `  <testsuite name="${escaped(suite)}" ${facts} time="${time}">`,
    ...totalsText(lines),
    ...lines.map(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function totalsText(lines: readonly ReportLine[]): readonly string[] {
  const { total, omitted } = totalsOf(lines);
  return [
    '    <properties>',
    `      <property name="total_results" value="${total}"/>`,
    `      <property name="omitted_results" value="${omitted}"/>`,
    '    </properties>',
  ];
}

function testCase(line: ReportLine): string {
  const { ruleId, name, severity, status, seconds } = line;
  const head = `    <testcase classname="${escaped(ruleId)}" name="${escaped(name)}" time="${seconds.toFixed(3)}"`;
  if (status === 'pass') return `${head}/>`;
  if (status === 'skipped') return `${head}><skipped/></testcase>`;
  if (status === 'no_data') return `${head}><skipped message="${escaped(line.message)}"/></testcase>`;
  const element = status === 'fail' ? 'failure' : 'error';
  const labels = line.findings.filter(({ waived }) => waived === undefined).map(({ label }) => label);
  if (line.omitted > 0) labels.push(`and ${line.omitted} more, left out of this report`);
  const message = `type="${escaped(severity)}" message="${escaped(line.message)}"`;
  return `${head}><${element} ${message}>${escaped(labels.join('\n'))}</${element}></testcase>`;
}

function escaped(text: string): string {
  return text.replace(CONTROL, '\u{FFFD}').replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
}
