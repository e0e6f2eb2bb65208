import { describe, expect, it } from '@jest/globals';
import { type EndpointState, kindOf, stateOf, statesText } from './endpoint-state.ts';

const CHECK = { at: 0, result: 'passed' as const, latency_ms: 1, reason: '', streak: 1 };
const HEALTHY = {
  healthy: true,
  is_disabled: false,
  is_ejected: false,
  last_check: CHECK,
  resolve_fault: null,
  targets: [],
};

describe('stateOf', () => {
  it.each([
    ['healthy', {}],
    ['failing', { healthy: false }],
    ['not checked', { last_check: null }],
    ['not checked', { last_check: null, healthy: false }],
    ['ejected', { is_ejected: true, last_check: null }],
    ['not resolved', { resolve_fault: 'ENOTFOUND', last_check: null, healthy: false }],
    ['disabled', { is_disabled: true, healthy: false }],
  ])('is %s with %j', (state, parts) => {
    expect(stateOf({ ...HEALTHY, ...parts })).toBe(state);
  });
});

describe('states of several endpoints', () => {
  it.each<[string, string, Partial<Record<EndpointState, number>>]>([
    ['good', '2 of 2 healthy', { healthy: 2 }],
    ['none', '2 not checked', { 'not checked': 2 }],
    ['none', '1 of 2 healthy, 1 not checked', { healthy: 1, 'not checked': 1 }],
    ['warn', '1 of 3 healthy', { healthy: 1, failing: 1, disabled: 1 }],
    ['warn', '0 of 2 healthy, 1 not checked', { failing: 1, 'not checked': 1 }],
    ['bad', '0 of 2 healthy', { failing: 1, ejected: 1 }],
    ['none', 'no endpoint', {}],
  ])('are %s: %s', (kind, text, states) => {
    const counts = new Map(Object.entries(states) as [EndpointState, number][]);

    expect([kindOf(counts), statesText(counts)]).toEqual([kind, text]);
  });
});
