import { describe, expect, it } from '@jest/globals';
import type { EdgePhase } from '#load/protocol';
import { isDegraded, newRunState, type RunRules, type RunState, waitingFor } from '../record/run-state.ts';
import type { RunEffect, RunEvent } from './run-event.ts';
import { stepRun } from './run-machine.ts';

/** A run with the events that happened to it, and all effects. */
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
  it('waits while no edge is registered, whatever happens', () => {
    const story = new Story().then({ type: 'recheck' }, { type: 'funded' }, { type: 'settle_timed_out' });

    expect(story.state).toMatchObject({ status: 'Starting', phase: 'waiting_for_edges' });
  });

  it('waits for as many edges as the scenario wants, and asks none before', () => {
    const story = new Story({ edgesMin: 2 }).register('a');

    expect([story.state.phase, story.effects]).toEqual(['waiting_for_edges', []]);
    expect(story.register('b').effects).toEqual([{ type: 'prepare', edgeIds: ['a', 'b'] }]);
  });

  it('waits for an edge that joins it', () => {
    const story = new Story().register('a', 'b').ack('a').register('c').ack('a', 'b');

    expect(waitingFor(story.state)).toEqual(['c']);
    expect(story.ack('c').state.status).toBe('Running');
  });

  it('takes no answer to an earlier revision', () => {
    const story = new Story()
      .register('a', 'b')
      .then({ type: 'acked', edgeId: 'a', instanceId: '1', revision: 1 });

    expect(waitingFor(story.state)).toEqual(['a', 'b']);
  });

  it('voids the answer of an edge that is restarted, and asks again when it is back', () => {
    const story = new Story().register('a', 'b').ack('b');
    story.then(
      { type: 'edge_registered', edgeId: 'b', instanceId: '2' },
      { type: 'edge_connected', edgeId: 'b', instanceId: '2' },
    );

    expect(waitingFor(story.state)).toEqual(['a', 'b']);
    expect(story.effects.at(-1)).toEqual({ type: 'prepare', edgeIds: ['b'] });
    expect(story.ack('a').state.status).toBe('Starting');
  });

  it('goes on without an edge that is deregistered', () => {
    const story = new Story().register('a', 'b').ack('a').then({ type: 'edge_removed', edgeId: 'b' });

    expect(waitingFor(story.state)).toEqual(['a']);
    expect(story.ack('a').state).toMatchObject({ status: 'Running', phase: 'funding' });
  });

  it('keeps a refusal, and has it checked anew', () => {
    const story = new Story().register('a');
    const refusal = { edgeId: 'a', instanceId: '1', revision: 1, code: 'chain_id_mismatch', reason: 'got 1' };
    story.then({ type: 'nacked', ...refusal }, { type: 'recheck' });

    expect(story.state.members[0]?.answer).toMatchObject({ kind: 'refused', code: 'chain_id_mismatch' });
    expect(types(story)).toEqual(['prepare', 'prepare']);
    expect(story.ack('a').state.status).toBe('Running');
  });

  it.each(['drain', 'abort'] as const)('is Failed by %s, after its files are closed', (mode) => {
    const story = new Story().register('a').then({ type: 'stop_asked', mode });

    expect([story.state.status, story.state.phase]).toEqual(['Starting', 'reporting']);
    expect(story.then({ type: 'concluded' }).state).toMatchObject({
      status: 'Failed',
      phase: null,
      ending: { reason: 'aborted' },
    });
  });

  it('waits on after the hive is restarted, for every edge anew', () => {
    const story = new Story().register('a', 'b').ack('a').then({ type: 'hive_restarted' }).register('a', 'b');

    expect(waitingFor(story.state)).toEqual(['a', 'b']);
  });
});

describe('a run that is Running', () => {
  it('goes through its phases to Completed', () => {
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

  it('starts nobody before everybody is ready', () => {
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

  it('starts without an edge that was lost while it signed', () => {
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
  ] as const)('tells an edge that comes back in %s what it may have missed', (_phase, steps, told) => {
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
  });

  it('goes on degraded without a lost edge, to Completed', () => {
    const story = Story.running().then({ type: 'edge_registered', edgeId: 'b', instanceId: '2' });
    story.progress('done', 'a').then({ type: 'verified' }, { type: 'concluded' });

    expect(story.state).toMatchObject({ status: 'Completed' });
    expect(isDegraded(story.state)).toBe(true);
    expect(story.effects).toContainEqual({
      type: 'member_ended',
      edgeId: 'b',
      end: 'crashed',
      reason: 'it was started anew',
    });
  });

  it('is Failed by a lost edge where the scenario says so', () => {
    const story = Story.running({ failsOnEdgeLoss: true }).progress('failed', 'b');

    expect(story.state).toMatchObject({
      phase: 'settling',
      ending: { status: 'Failed', reason: 'edge_lost' },
    });
    expect(story.progress('done', 'a').then({ type: 'concluded' }).state.status).toBe('Failed');
  });

  it('is Failed when nobody is left', () => {
    const story = Story.running();
    for (const edgeId of ['a', 'b']) story.then({ type: 'edge_removed', edgeId });

    expect(story.state).toMatchObject({ phase: 'reporting', ending: { reason: 'all_edges_lost' } });
  });

  it('keeps what is done when an edge leaves after its part', () => {
    const story = Story.running().progress('done', 'a').then({ type: 'edge_removed', edgeId: 'a' });

    expect(story.progress('done', 'b').state.phase).toBe('verifying');
    expect(isDegraded(story.state)).toBe(false);
  });

  it.each([
    [{ type: 'stop_asked', mode: 'drain' }, 'drained'],
    [{ type: 'load_cut', reason: 'threshold_missed' }, 'threshold_missed'],
  ] as const)('drains by %j, and is Completed', (event, reason) => {
    const story = Story.running().then(event);
    expect(story.effects.at(-1)).toMatchObject({ type: 'stop', isAbort: false, edgeIds: ['a', 'b'] });

    story.progress('done', 'a', 'b').then({ type: 'verified' }, { type: 'concluded' });

    expect(story.state).toMatchObject({ status: 'Completed', ending: { reason } });
  });

  it.each([
    [{ type: 'stop_asked', mode: 'abort' }, 'aborted'],
    [{ type: 'broken', reason: 'no_disk_space' }, 'no_disk_space'],
    [{ type: 'hive_restarted' }, 'hive_restarted'],
  ] as const)('is Failed by %j, once the edges are done or took too long', (event, reason) => {
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

  it('is Failed, not Completed, when it is aborted while it drains', () => {
    const story = Story.running().then(
      { type: 'stop_asked', mode: 'drain' },
      { type: 'stop_asked', mode: 'abort' },
    );

    story.progress('done', 'a', 'b').then({ type: 'concluded' });

    expect(story.state).toMatchObject({ status: 'Failed', ending: { reason: 'aborted' } });
  });

  it('is Failed when the disk is full at the very end', () => {
    const story = Story.running().progress('done', 'a', 'b').then({ type: 'verified' });

    story.then({ type: 'broken', reason: 'no_disk_space' }, { type: 'concluded' });

    expect(story.state).toMatchObject({ status: 'Failed', ending: { reason: 'no_disk_space' } });
  });
});
