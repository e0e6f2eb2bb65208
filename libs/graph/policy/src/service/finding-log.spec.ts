import { describe, expect, it } from '@jest/globals';
import type { RuleOutcome } from '../evaluation/outcome.ts';
import { FindingLog } from './finding-log.ts';

function outcomeOf(findingIds: readonly string[], changes: Partial<RuleOutcome> = {}): RuleOutcome {
  return {
    status: 'Fail',
    violationCount: findingIds.length,
    waivedCount: 0,
    violations: [],
    sightings: { findingIds, classes: [], labels: findingIds.map((id) => `label of ${id}`) },
    isComplete: true,
    warnings: [],
    error: null,
    durationMs: 1,
    ...changes,
  };
}

const idsOf = (notes: readonly { readonly finding_id: string }[]) => notes.map(({ finding_id: id }) => id);

describe('findings of a rule', () => {
  it('are new once, resolved once, and new again when they come back', () => {
    const log = new FindingLog();

    const changes = [['a', 'b'], ['b'], ['a', 'b']].map((ids, at) => log.note('r', outcomeOf(ids), at));

    expect(changes.map(({ opened, resolved }) => [idsOf(opened), idsOf(resolved)])).toEqual([
      [['a', 'b'], []],
      [[], ['a']],
      [['a'], []],
    ]);
    expect([log.firstSeenMs('r', 'a'), log.firstSeenMs('r', 'b')]).toEqual([2, 0]);
  });

  it('beyond those that a run could name are kept, not resolved, with their first sighting', () => {
    const log = new FindingLog();
    log.note('r', outcomeOf(['a', 'b']), 10);

    const cut = log.note('r', outcomeOf(['b', 'c'], { isComplete: false }), 20);
    const whole = log.note('r', outcomeOf(['a', 'c']), 30);

    expect([idsOf(cut.opened), idsOf(cut.resolved)]).toEqual([['c'], []]);
    expect(Object.keys(cut.document?.value as object).sort()).toEqual(['a', 'b', 'c']);
    expect([idsOf(whole.opened), idsOf(whole.resolved)]).toEqual([[], ['b']]);
    expect(log.firstSeenMs('r', 'a')).toBe(10);
  });

  it.each(['Error', 'NoData'] as const)('are what they were after a run of status %s', (status) => {
    const log = new FindingLog();
    log.note('r', outcomeOf(['a']), 10);

    const { opened, resolved, document } = log.note('r', outcomeOf([], { status }), 20);

    expect([opened, resolved, document]).toEqual([[], [], undefined]);
    expect(log.firstSeenMs('r', 'a')).toBe(10);
  });

  it('are not stored again when nothing has changed', () => {
    const log = new FindingLog();
    log.note('r', outcomeOf(['a']), 10);

    expect(log.note('r', outcomeOf(['a']), 20).document).toBeUndefined();
  });

  it('are noted again of the same outcome when the rule was forgotten meanwhile', () => {
    const log = new FindingLog();
    const outcome = outcomeOf(['a']);
    log.note('r', outcome, 10);
    expect(idsOf(log.note('r', outcome, 20).opened)).toEqual([]);
    log.forget('r');

    const { opened, document } = log.note('r', outcome, 30);

    expect([idsOf(opened), document?.id]).toEqual([['a'], 'findings/r']);
    expect(log.firstSeenMs('r', 'a')).toBe(30);
  });
});
