import { describe, expect, it } from '@jest/globals';
import { stripVTControlCharacters } from 'node:util';
import { type Counts, faultsOf, linesOf } from '../tools/demo/cluster-counts.ts';
import { frameOf, type Sight } from '../tools/demo/cluster-view.ts';
import { LiveScreen } from '../tools/demo/live-screen.ts';

const COUNTS: Counts = {
  acknowledged: 12_402,
  found: new Map([
    ['a', 12_402],
    ['b', 12_402],
  ]),
  lost: 0,
  reads: 5_122,
  torn: 0,
  behind: 0,
  unexpected: [],
  refused: 14,
  unanswered: 3,
};
const SIGHT: Sight = {
  elapsedS: 5.4,
  nodes: [
    {
      name: 'a',
      url: 'http://127.0.0.1:41231',
      state: 'healthy',
      position: { role: 'leader', seq: 12_399, published: 12_402, lag_ms: 12 },
      writesPerSecond: 412.4,
      readsPerSecond: 1_188,
    },
    {
      name: 'b',
      url: 'http://127.0.0.1:41232',
      state: 'killed',
      position: undefined,
      writesPerSecond: 0,
      readsPerSecond: 0,
    },
  ],
  databases: [
    { name: 'db_a', port: 5_001, role: 'primary', state: 'takes writes' },
    { name: 'db_b', port: 5_002, role: 'standby', state: 'follows db_a' },
    { name: 'db_c', port: 5_003, role: '–', state: 'killed' },
  ],
  rates: [0, 300, 1_000],
  counts: { 'writes acknowledged': 12_402, torn: 0 },
  events: ['  0.0 s  load started', '  5.0 s  node b is killed'],
};
const EVENTS_ABOVE = 13;

describe('counts of the cluster demo', () => {
  it('pass when all writes were found, and nothing was torn or stale', () => {
    expect(faultsOf(COUNTS)).toEqual([]);
  });

  it.each<[string, Partial<Counts>]>([
    ['2 acknowledged writes are lost', { lost: 2 }],
    ['not every node could be queried for the acknowledged writes', { lost: undefined }],
    ['1 torn versions were seen', { torn: 1 }],
    ['1,234 reads were behind their token', { behind: 1_234 }],
    ['an unexpected response: a write: 400', { unexpected: ['a write: 400', 'a write: 404'] }],
    ['no write was acknowledged', { acknowledged: 0 }],
    ['no read was checked', { reads: 0 }],
  ])('fail for: %s', (fault, difference) => {
    expect(faultsOf({ ...COUNTS, ...difference })).toEqual([fault]);
  });

  it('report what is unknown', () => {
    const found = new Map([
      ['a', 12_402],
      ['b', undefined],
    ]);

    expect(linesOf({ ...COUNTS, found, lost: undefined })).toEqual([
      '  writes acknowledged              12,402',
      '    found on node a                12,402',
      '    found on node b               unknown',
      '    lost                          unknown',
      '  reads checked                     5,122',
      '    torn versions seen                  0',
      '    behind their token                  0',
      '  retried after 503                    14',
      '  retried after no response             3',
    ]);
  });
});

describe('view of the cluster', () => {
  const plain = frameOf(SIGHT, { isColoured: false, rows: 40 });

  it('has a line for each node and each database, the counts, and the events', () => {
    expect(plain).toEqual([
      'Plexus: three nodes over three databases, 5 s of load',
      '',
      'NODE   ROLE           SEQ  PUBLISHED     LAG  WRITES/S  READS/S  STATE      ADDRESS',
      'a      leader      12,399     12,402   12 ms       412    1,188  healthy    http://127.0.0.1:41231',
      'b      –                –          –       –         –        –  killed     –',
      '',
      'DATABASE  ROLE      STATE           ADDRESS',
      'db_a      primary   takes writes    127.0.0.1:5001',
      'db_b      standby   follows db_a    127.0.0.1:5002',
      'db_c      –         killed          127.0.0.1:5003',
      '',
      `WRITES/S  ${'▁▄█'.padStart(60)}  █ 1,000`,
      '12,402 writes acknowledged · 0 torn',
      '',
      '  0.0 s  load started',
      '  5.0 s  node b is killed',
    ]);
  });

  it('has the same content in colours', () => {
    const coloured = frameOf(SIGHT, { isColoured: true, rows: 40 });

    expect(coloured.map((line) => stripVTControlCharacters(line).trimEnd())).toEqual(plain);
    expect(coloured[4]).toContain('\u001b[31mkilled');
    expect(coloured[3]).toContain('\u001b[32mhealthy');
  });

  it.each([
    [EVENTS_ABOVE + 2, ['  5.0 s  node b is killed']],
    [EVENTS_ABOVE + 1, []],
  ])('omits the oldest events on a terminal of %i rows', (rows, events) => {
    const frame = frameOf(SIGHT, { isColoured: false, rows });

    expect(frame).toEqual([...plain.slice(0, EVENTS_ABOVE + 1), ...events]);
  });

  it('is truncated on a terminal with fewer rows', () => {
    expect(frameOf(SIGHT, { isColoured: false, rows: 5 })).toEqual(plain.slice(0, 5));
  });
});

describe('screen of the demo', () => {
  const screenOn = (isTTY: boolean, environment: NodeJS.ProcessEnv = {}) => {
    const written: string[] = [];
    const screen = new LiveScreen(
      { isTTY, rows: 30, write: (text: string) => written.push(text) },
      environment,
    );
    return { screen, written };
  };

  it('redraws in place on a terminal, and restores the cursor and line wrapping at the end', () => {
    const { screen, written } = screenOn(true);
    screen.draw(['a', 'b']);
    screen.draw(['c']);
    screen.end();
    screen.say('d');

    expect(written).toEqual([
      '\u001b[?25l\u001b[?7l\u001b[2Ka\n\u001b[2Kb\n\u001b[J',
      '\u001b[2F\u001b[2Kc\n\u001b[J',
      '\u001b[?7h\u001b[?25h',
      'd\n',
    ]);
  });

  it.each<[string, boolean, NodeJS.ProcessEnv]>([
    ['an output without a terminal', false, {}],
    ['a dumb terminal', true, { TERM: 'dumb' }],
  ])('only prints lines one after another on %s', (_, isTTY, environment) => {
    const { screen, written } = screenOn(isTTY, environment);
    screen.draw(['a']);
    screen.say('b');
    screen.end();

    expect([screen.isLive, screen.isColoured, written]).toEqual([false, false, ['b\n']]);
  });

  it.each<[boolean, NodeJS.ProcessEnv]>([
    [true, {}],
    [true, { NO_COLOR: '' }],
    [false, { NO_COLOR: '1' }],
  ])('is coloured: %p with %j', (isColoured, environment) => {
    expect(screenOn(true, environment).screen).toMatchObject({ isLive: true, isColoured });
  });
});
