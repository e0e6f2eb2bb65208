import { describe, expect, it } from '@jest/globals';
import type { RuleOutcome } from '../evaluation/outcome.ts';
import { type FindingChanges, FindingLog } from './finding-log.ts';

function outcomeOf(findingIds: readonly string[], changes: Partial<RuleOutcome> = {}): RuleOutcome {
  return {
    status: 'Fail',
    violationCount: findingIds.length,
    waivedCount: 0,
    violations: [],
    decidedCount: 0,
    sightings: {
      findingIds,
      classes: [],
      labels: findingIds.map((id) => `label of ${id}`),
      entityIds: [],
      waived: [],
    },
    isComplete: true,
    warnings: [],
    error: null,
    durationMs: 1,
    ...changes,
  };
}

const VIOLATION: RuleOutcome['violations'][number] = {
  finding_id: 'a',
  entity_id: 'e',
  type: 'host',
  key: 'k',
  class: 'Host',
  display_name: 'k',
};

const idsOf = (notes: readonly { readonly finding_id: string }[]) => notes.map(({ finding_id: id }) => id);

function keptIn(log: FindingLog, outcome: RuleOutcome, nowMs: number): FindingChanges {
  const changes = log.compare('r', outcome, nowMs);
  changes.keep();
  return changes;
}

describe('findings of a rule', () => {
  it('are new once, resolved once, and new again when they reappear', () => {
    const log = new FindingLog();

    const changes = [['a', 'b'], ['b'], ['a', 'b']].map((ids, at) => keptIn(log, outcomeOf(ids), at));

    expect(changes.map(({ opened, resolved }) => [idsOf(opened), idsOf(resolved)])).toEqual([
      [['a', 'b'], []],
      [[], ['a']],
      [['a'], []],
    ]);
    expect([log.firstSeenMs('r', 'a'), log.firstSeenMs('r', 'b')]).toEqual([2, 0]);
  });

  it('missing from an incomplete run are kept with their first sighting instead of resolved', () => {
    const log = new FindingLog();
    keptIn(log, outcomeOf(['a', 'b']), 10);

    const cut = keptIn(log, outcomeOf(['b', 'c'], { isComplete: false }), 20);
    const whole = keptIn(log, outcomeOf(['a', 'c']), 30);

    expect([idsOf(cut.opened), idsOf(cut.resolved)]).toEqual([['c'], []]);
    expect(Object.keys(cut.document?.value as object).sort()).toEqual(['a', 'b', 'c']);
    expect([idsOf(whole.opened), idsOf(whole.resolved)]).toEqual([[], ['b']]);
    expect(log.firstSeenMs('r', 'a')).toBe(10);
  });

  it.each(['Error', 'NoData'] as const)('are what they were after a run of status %s', (status) => {
    const log = new FindingLog();
    keptIn(log, outcomeOf(['a']), 10);

    const { opened, resolved, document } = keptIn(log, outcomeOf([], { status }), 20);

    expect([opened, resolved, document]).toEqual([[], [], undefined]);
    expect(log.firstSeenMs('r', 'a')).toBe(10);
  });

  it('stay new until they are stored', () => {
    const log = new FindingLog();
    const outcome = outcomeOf(['a']);
    log.compare('r', outcome, 10);

    const { opened, document } = keptIn(log, outcome, 20);

    expect([idsOf(opened), document?.id]).toEqual([['a'], 'findings/r']);
    expect(log.firstSeenMs('r', 'a')).toBe(20);
  });

  it('are not stored again without a change', () => {
    const log = new FindingLog();
    keptIn(log, outcomeOf(['a']), 10);

    expect(keptIn(log, outcomeOf(['a']), 20).document).toBeUndefined();
  });

  it('of the same outcome are new again after the rule was forgotten', () => {
    const log = new FindingLog();
    const outcome = outcomeOf(['a']);
    keptIn(log, outcome, 10);
    expect(idsOf(keptIn(log, outcome, 20).opened)).toEqual([]);
    log.forget('r');

    const { opened, document } = keptIn(log, outcome, 30);

    expect([idsOf(opened), document?.id]).toEqual([['a'], 'findings/r']);
    expect(log.firstSeenMs('r', 'a')).toBe(30);
  });

  it('are shown with the first sighting of the stored run, and with a new one after the rule was forgotten', () => {
    const log = new FindingLog();
    const outcome = outcomeOf(['a'], { violations: [VIOLATION] });
    const seenAt = (nowMs: number): unknown => log.seenBy('r', outcome, nowMs)[0]?.first_seen;
    const shown: unknown[] = [];

    // Not stored: the finding is new in the next run.
    log.compare('r', outcome, 10);
    shown.push(seenAt(10));
    keptIn(log, outcome, 20);
    shown.push(seenAt(20), seenAt(30));
    log.forget('r');
    keptIn(log, outcome, 40);
    shown.push(seenAt(50));

    expect(shown).toEqual([10, 20, 20, 40].map((ms) => new Date(ms).toISOString()));
    expect(log.seenBy('r', outcome, 60)).toBe(log.seenBy('r', outcome, 70));
  });
});
