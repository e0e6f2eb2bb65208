import { describe, expect, it } from '@jest/globals';
import type { EdgePhase } from '#load/protocol';
import { isDegraded, newRunState, type RunRules, type RunState, waitingFor } from '../record/run-state.ts';
import type { RunEffect, RunEvent } from './run-event.ts';
import { stepRun } from './run-machine.ts';

/** Applies events to a run's state, and records all effects. */
class Story {
  state: RunState;
  readonly effects: RunEffect[] = [];

  constructor(rules: Partial<RunRules> = {}) {
    this.state = newRunState({ edgesMin: 1, failsOnEdgeLoss: false, ...rules });
  }

  then(...events: readonly RunEvent[]): this {
    for (const event of events) {
      const step = stepRun(this.state, event);
      this.state = step.state;
      this.effects.push(...step.effects);
    }
    return this;
  }

  register(...edgeIds: readonly string[]): this {
    return this.then(
      ...edgeIds.map((edgeId) => ({ type: 'edge_registered', edgeId, instanceId: '1' }) as const),
    );
  }

  ack(...edgeIds: readonly string[]): this {
    for (const edgeId of edgeIds) {
      this.then({ type: 'acked', edgeId, instanceId: '1', revision: this.state.revision });
    }
    return this;
  }

  progress(phase: EdgePhase, ...edgeIds: readonly string[]): this {
    return this.then(
      ...edgeIds.map(
        (edgeId) => ({ type: 'progressed', edgeId, instanceId: '1', phase, reason: 'why' }) as const,
      ),
    );
  }

  /** Two edges under load. */
  static running(rules: Partial<RunRules> = {}): Story {
    const story = new Story(rules).register('a', 'b').ack('a', 'b').then({ type: 'funded' });
    return story.progress('ready', 'a', 'b').then({ type: 'load_began', isWarmup: false });
  }
}

const types = (story: Story): readonly string[] => story.effects.map(({ type }) => type);

describe('a run that is Starting', () => {
  it('waits while no edge is registered, for any event', () => {
    const story = new Story().then({ type: 'recheck' }, { type: 'funded' }, { type: 'settle_timed_out' });

    expect(story.state).toMatchObject({ status: 'Starting', phase: 'waiting_for_edges' });
  });

  it('waits for the minimum number of edges, and sends no plan before', () => {
    const story = new Story({ edgesMin: 2 }).register('a');

    expect([story.state.phase, story.effects]).toEqual(['waiting_for_edges', []]);
    expect(story.register('b').effects).toEqual([{ type: 'prepare', edgeIds: ['a', 'b'] }]);
  });

  it('waits for all edges that it names, and takes no other', () => {
    const story = new Story({ edgesMin: 2, edgeIds: ['a', 'c'] }).register('b', 'a');

    expect([story.state.phase, waitingFor(story.state)]).toEqual(['waiting_for_edges', ['a', 'c']]);
    story.register('c').ack('a', 'b', 'c');
    expect(story.state.status).toBe('Running');
    expect(story.state.members.map(({ edgeId }) => edgeId)).toEqual(['a', 'c']);
    story.then(
      { type: 'edge_removed', edgeId: 'b' },
      { type: 'edge_registered', edgeId: 'b', instanceId: '2' },
    );
    expect(story.state.members.every(({ end }) => end === null)).toBe(true);
  });

  it('waits for an edge that registers later', () => {
    const story = new Story().register('a', 'b').ack('a').register('c').ack('a', 'b');

    expect(waitingFor(story.state)).toEqual(['c']);
    expect(story.ack('c').state.status).toBe('Running');
  });

  it('ignores an acknowledgement of an earlier revision', () => {
    const story = new Story()
      .register('a', 'b')
      .then({ type: 'acked', edgeId: 'a', instanceId: '1', revision: 1 });

    expect(waitingFor(story.state)).toEqual(['a', 'b']);
  });

  it('discards the acknowledgement of a restarted edge, and sends the plan again when it reconnects', () => {
    const story = new Story().register('a', 'b').ack('b');
    story.then(
      { type: 'edge_registered', edgeId: 'b', instanceId: '2' },
      { type: 'edge_connected', edgeId: 'b', instanceId: '2' },
    );

    expect(waitingFor(story.state)).toEqual(['a', 'b']);
    expect(story.effects.at(-1)).toEqual({ type: 'prepare', edgeIds: ['b'] });
    expect(story.ack('a').state.status).toBe('Starting');
  });

  it('continues without a deregistered edge', () => {
    const story = new Story().register('a', 'b').ack('a').then({ type: 'edge_removed', edgeId: 'b' });

    expect(waitingFor(story.state)).toEqual(['a']);
    expect(story.ack('a').state).toMatchObject({ status: 'Running', phase: 'funding' });
  });

  it('keeps a rejection, and sends the plan again at a recheck', () => {
    const story = new Story().register('a');
    const refusal = { edgeId: 'a', instanceId: '1', revision: 1, code: 'chain_id_mismatch', reason: 'got 1' };
    story.then({ type: 'nacked', ...refusal }, { type: 'recheck' });

    expect(story.state.members[0]?.answer).toMatchObject({ kind: 'refused', code: 'chain_id_mismatch' });
    expect(types(story)).toEqual(['prepare', 'prepare']);
    expect(story.ack('a').state.status).toBe('Running');
  });

  it.each(['drain', 'abort'] as const)('fails after %s, once its files are closed', (mode) => {
    const story = new Story().register('a').then({ type: 'stop_asked', mode });

    expect([story.state.status, story.state.phase]).toEqual(['Starting', 'reporting']);
    expect(story.then({ type: 'concluded' }).state).toMatchObject({
      status: 'Failed',
      phase: null,
      ending: { reason: 'aborted' },
    });
  });

  it('waits for every edge again after a restart of the hive', () => {
    const story = new Story().register('a', 'b').ack('a').then({ type: 'hive_restarted' }).register('a', 'b');

    expect(waitingFor(story.state)).toEqual(['a', 'b']);
  });
});

describe('a run that is Running', () => {
  it('passes through its phases to Completed', () => {
    const story = Story.running();
    const phases = [story.state.phase];
    for (const phase of ['draining', 'settling', 'done'] as const) {
      story.progress(phase, 'a');
      phases.push(story.state.phase);
      story.progress(phase, 'b');
      phases.push(story.state.phase);
    }
    story.then({ type: 'verified' }, { type: 'concluded' });

    expect(phases).toEqual(['steady', 'steady', 'draining', 'draining', 'settling', 'settling', 'verifying']);
    expect(story.state).toMatchObject({ status: 'Completed', ending: { reason: null } });
    expect(types(story).slice(-5)).toEqual(['fund', 'make_ready', 'start', 'verify', 'conclude']);
  });

  it('starts the load only when all edges are ready', () => {
    const story = new Story()
      .register('a', 'b')
      .ack('a', 'b')
      .then({ type: 'funded' })
      .progress('ready', 'a');

    expect(types(story)).not.toContain('start');
    expect(story.progress('ready', 'b').effects.at(-1)).toEqual({
      type: 'start',
      edgeIds: ['a', 'b'],
      isAgain: false,
    });
  });

  it('starts the load without an edge lost during presigning', () => {
    const story = new Story()
      .register('a', 'b')
      .ack('a', 'b')
      .then({ type: 'funded' })
      .progress('ready', 'a');
    story.then({ type: 'edge_lost', edgeId: 'b', instanceId: '1', reason: 'silent' });

    expect(story.effects.at(-1)).toEqual({ type: 'start', edgeIds: ['a'], isAgain: false });
    expect(isDegraded(story.state)).toBe(true);
  });

  it.each([
    ['funding', 0, []],
    ['presigning', 1, ['make_ready']],
    ['steady', 3, ['start']],
  ] as const)(
    'sends a reconnected edge in phase %s the orders that it may have missed',
    (_phase, steps, told) => {
      const story = new Story().register('a').ack('a');
      const events: readonly RunEvent[] = [
        { type: 'funded' },
        { type: 'progressed', edgeId: 'a', instanceId: '1', phase: 'ready', reason: '' },
        { type: 'load_began', isWarmup: false },
      ];
      story.then(...events.slice(0, steps));
      const before = story.effects.length;

      story.then({ type: 'edge_connected', edgeId: 'a', instanceId: '1' });

      expect(types(story).slice(before)).toEqual(told);
    },
  );

  it('completes degraded without a lost edge', () => {
    const story = Story.running().then({ type: 'edge_registered', edgeId: 'b', instanceId: '2' });
    story.progress('done', 'a').then({ type: 'verified' }, { type: 'concluded' });

    expect(story.state).toMatchObject({ status: 'Completed' });
    expect(isDegraded(story.state)).toBe(true);
    expect(story.effects).toContainEqual({
      type: 'member_ended',
      edgeId: 'b',
      end: 'crashed',
      reason: 'it was restarted',
    });
  });

  it('fails after the loss of an edge if the scenario sets fail_on_edge_loss', () => {
    const story = Story.running({ failsOnEdgeLoss: true }).progress('failed', 'b');

    expect(story.state).toMatchObject({
      phase: 'settling',
      ending: { status: 'Failed', reason: 'edge_lost' },
    });
    expect(story.progress('done', 'a').then({ type: 'concluded' }).state.status).toBe('Failed');
  });

  it('fails when no edge is left', () => {
    const story = Story.running();
    for (const edgeId of ['a', 'b']) story.then({ type: 'edge_removed', edgeId });

    expect(story.state).toMatchObject({ phase: 'reporting', ending: { reason: 'all_edges_lost' } });
  });

  it('is not degraded by the removal of an edge that is done', () => {
    const story = Story.running().progress('done', 'a').then({ type: 'edge_removed', edgeId: 'a' });

    expect(story.progress('done', 'b').state.phase).toBe('verifying');
    expect(isDegraded(story.state)).toBe(false);
  });

  it.each([
    [{ type: 'stop_asked', mode: 'drain' }, 'drained'],
    [{ type: 'load_cut', reason: 'threshold_missed' }, 'threshold_missed'],
  ] as const)('drains after %j, and completes', (event, reason) => {
    const story = Story.running().then(event);
    expect(story.effects.at(-1)).toMatchObject({ type: 'stop', isAbort: false, edgeIds: ['a', 'b'] });

    story.progress('done', 'a', 'b').then({ type: 'verified' }, { type: 'concluded' });

    expect(story.state).toMatchObject({ status: 'Completed', ending: { reason } });
  });

  it.each([
    [{ type: 'stop_asked', mode: 'abort' }, 'aborted'],
    [{ type: 'broken', reason: 'no_disk_space' }, 'no_disk_space'],
    [{ type: 'hive_restarted' }, 'hive_restarted'],
  ] as const)('fails after %j, once the edges are done or timed out', (event, reason) => {
    const story = Story.running().then(event);
    expect(story.effects.slice(-2)).toMatchObject([
      { type: 'stop', isAbort: true },
      { type: 'await_settling' },
    ]);

    story.progress('done', 'a').then({ type: 'settle_timed_out' }, { type: 'concluded' });

    expect(story.state).toMatchObject({ status: 'Failed', ending: { reason } });
    expect(story.state.members.map(({ end }) => end)).toEqual(['done', 'lost']);
    expect(types(story)).not.toContain('verify');
  });

  it('continues after a restart of the hive once the edges settle', () => {
    const story = Story.running().progress('settling', 'a', 'b').then({ type: 'hive_restarted' });
    expect(story.state).toMatchObject({ status: 'Running', phase: 'settling', ending: null });

    story.progress('done', 'a', 'b').then({ type: 'verified' }, { type: 'concluded' });

    expect(story.state).toMatchObject({ status: 'Completed' });
  });

  it.each(['verify', 'conclude'] as const)('repeats %s after a restart of the hive', (effect) => {
    const story = Story.running().progress('done', 'a', 'b');
    if (effect === 'conclude') story.then({ type: 'verified' });
    const before = story.state;

    story.then({ type: 'hive_restarted' });

    expect(story.state).toEqual(before);
    expect(story.effects.at(-1)).toEqual({ type: effect });
  });

  it('changes the rate of its live edges', () => {
    const story = Story.running().then({ type: 'edge_removed', edgeId: 'b' });

    const { effects } = story.then({ type: 'rate_asked', number: 1, atMs: 1_500, rate: 80 });

    expect(effects.at(-1)).toEqual({ type: 'change_rate', edgeIds: ['a'], number: 1, atMs: 1_500, rate: 80 });
  });

  it.each([
    ['before its start', new Story().register('a').ack('a')],
    ['after a drain', Story.running().then({ type: 'stop_asked', mode: 'drain' })],
    ['while draining', Story.running().progress('draining', 'a', 'b')],
  ])('does not change the rate %s', (_when, story) => {
    const before = story.effects.length;

    story.then({ type: 'rate_asked', number: 1, atMs: 1, rate: 1 });

    expect(story.effects).toHaveLength(before);
  });

  it('fails if it is aborted while draining', () => {
    const story = Story.running().then(
      { type: 'stop_asked', mode: 'drain' },
      { type: 'stop_asked', mode: 'abort' },
    );

    story.progress('done', 'a', 'b').then({ type: 'concluded' });

    expect(story.state).toMatchObject({ status: 'Failed', ending: { reason: 'aborted' } });
  });

  it('fails if the disk is full while reporting', () => {
    const story = Story.running().progress('done', 'a', 'b').then({ type: 'verified' });

    story.then({ type: 'broken', reason: 'no_disk_space' }, { type: 'concluded' });

    expect(story.state).toMatchObject({ status: 'Failed', ending: { reason: 'no_disk_space' } });
  });
});
