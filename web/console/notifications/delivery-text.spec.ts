import { describe, expect, it } from '@jest/globals';
import { byRule, eventText, markOf, stateOf, triesText } from './delivery-text.ts';

describe('texts of a delivery', () => {
  it.each([
    ['opened', 1, '1 finding opened'],
    ['resolved', 12_000, '12,000 findings resolved'],
    ['rule_error', 1, '1 rule could not be evaluated'],
    ['connector_failed', 2, '2 runs of connectors failed'],
    ['an event of tomorrow', 2, '2 an event of tomorrow'],
  ])('describe %s, %d', (event, count, text) => {
    expect(eventText({ event, count })).toBe(text);
  });

  it('distinguish a pending delivery from a failing one', () => {
    expect(markOf({ state: 'pending', attempts: 0 })).toBe('waiting');
    expect(markOf({ state: 'pending', attempts: 1 })).toBe('failing');
    expect(markOf({ state: 'given_up', attempts: 9 })).toBe('given up');
    expect([triesText(1), triesText(2_000)]).toEqual(['1 try', '2,000 tries']);
  });

  it('name the rule of several findings once', () => {
    const told = (label: string, rule: string | null, finding: string | null) => ({
      label,
      rule,
      rule_id: rule,
      finding_id: finding,
      connector_id: null,
      run_id: null,
    });
    const about = [told('a', 'R', '1'), told('b', 'S', '2'), told('c', 'R', '3'), told('R', 'R', null)];

    expect(byRule(about).map(([rule, list]) => [rule, list.map(({ label }) => label)])).toEqual([
      ['R', ['a', 'c']],
      ['S', ['b']],
      ['', ['R']],
    ]);
  });

  it('accept only existing states from an address', () => {
    expect([stateOf('given_up'), stateOf('lost'), stateOf(undefined)]).toEqual([
      'given_up',
      undefined,
      undefined,
    ]);
  });
});
