import { describe, expect, it } from '@jest/globals';
import { checkScenarioText } from './check-scenario.ts';

const textOf = (load: string, mix: readonly string[]): string =>
  [
    'name: first',
    "target: { chain_id: 412346, rpc_urls: ['http://x'], feed_url: 'ws://x' }",
    'accounts: { count: 2 }',
    `load: ${load}`,
    'mix:',
    ...mix.map((entry) => `  - ${entry}`),
  ].join('\n');

describe('checkScenarioText', () => {
  it('warns of entries of the mix that may never be drawn, with their lines', () => {
    const mix = [
      '{ kind: transfer, weight: 99 }',
      '{ kind: deploy, weight: 0.5 }',
      '{ kind: calldata, weight: 0 }',
    ];
    const { faults, warnings } = checkScenarioText(
      textOf('{ stages: [{ duration: 10s, rate: 10 }] }', mix),
      'yaml',
    );

    expect(faults).toEqual([]);
    expect(warnings.map(({ line, path, message }) => [line, path, message])).toEqual([
      [7, 'mix.1', 'deploy may never be drawn: 0.5 of 100'],
      [8, 'mix.2', 'calldata may never be drawn: its weight is 0'],
    ]);
  });

  it('warns of nothing if each entry has transactions, or if their number is unknown', () => {
    const mix = ['{ kind: transfer, weight: 999 }', '{ kind: deploy, weight: 1 }'];
    const open = checkScenarioText(textOf('{ stages: [{ ramp_to: 100, duration: 20s }] }', mix), 'yaml');
    const closed = checkScenarioText(
      textOf('{ model: closed, users: 1, stages: [{ duration: 1s }] }', mix),
      'yaml',
    );

    expect([open.faults, open.warnings]).toEqual([[], []]);
    expect([closed.faults, closed.warnings]).toEqual([[], []]);
  });
});
