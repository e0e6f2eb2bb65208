import { describe, expect, it } from '@jest/globals';
import { recorded } from '../bench/harness/record.ts';

const RUN = { name: 'graph', command: 'npm run bench -- graph', day: '2026-11-23', commit: 'abc' };
const DOCUMENT = '# Benchmarks\n\n## Recorded\n\nBy `--record`.\n';

describe('recorded figures of a document', () => {
  it('are appended at first, and then replaced in place', () => {
    const first = recorded(DOCUMENT, { ...RUN, printed: '## Graph\n\n| a |\n' });
    const both = recorded(first, { ...RUN, name: 'http', printed: '## HTTP\n' });
    const again = recorded(both, { ...RUN, day: '2026-11-24', printed: '## Graph\n\n| b |\n' });

    expect(again).toBe(
      [
        DOCUMENT,
        '<!-- recorded: graph -->\n',
        '<!-- prettier-ignore-start -->\n',
        '### Graph\n',
        '| b |\n',
        '`npm run bench -- graph`, 2026-11-24, commit abc.\n',
        '<!-- prettier-ignore-end -->\n',
        '<!-- end: graph -->\n',
        '<!-- recorded: http -->\n',
        '<!-- prettier-ignore-start -->\n',
        '### HTTP\n',
        '`npm run bench -- graph`, 2026-11-23, commit abc.\n',
        '<!-- prettier-ignore-end -->\n',
        '<!-- end: http -->\n',
      ].join('\n'),
    );
    expect(first).toContain('| a |');
  });

  it.each(['--before /var/old', '--before=/var/old'])('omit the place of another checkout: %s', (option) => {
    const command = `npm run bench -- load ${option} --rounds 3`;

    const text = recorded(DOCUMENT, { ...RUN, command, printed: '## Load\n' });

    expect(text).toContain(
      '\n`npm run bench -- load --before <checkout> --rounds 3`, 2026-11-23, commit abc.\n',
    );
  });

  it.each(['--dir /var/bench', '--dir=/var/bench'])('omit the directory of the run: %s', (option) => {
    const command = `npm run bench -- graph ${option} --rounds 3`;

    const text = recorded(DOCUMENT, { ...RUN, command, printed: '## Graph\n' });

    expect(text).toContain('\n`npm run bench -- graph --rounds 3`, 2026-11-23, commit abc.\n');
    expect(text).not.toContain('/var/bench');
  });

  it('are rejected by a document without their section', () => {
    expect(() => recorded('# Benchmarks\n', { ...RUN, printed: 'x' })).toThrow('expected a section');
  });
});
