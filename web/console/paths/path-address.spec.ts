import { describe, expect, it } from '@jest/globals';
import { addressOfChoices, choicesOf, type PathChoices } from './path-address.ts';

const EMPTY: PathChoices = {
  direction: 'out',
  isAll: false,
  depth: undefined,
  avoidedVerbs: [],
  avoidedClasses: [],
};

describe('the address of the path form', () => {
  it.each([
    {},
    { direction: 'in', isAll: true, depth: 1_000 },
    { direction: 'any', depth: 1, avoidedVerbs: ['A,B', '"'], avoidedClasses: ['Ä & co'] },
  ] satisfies Partial<PathChoices>[])('brings back %j', (parts) => {
    const choices = { ...EMPTY, ...parts };
    const address = addressOfChoices(choices);
    const kept = Object.entries(address).filter(([, value]) => value !== '');

    expect(choicesOf(Object.fromEntries(kept))).toEqual(choices);
  });

  it.each([
    { direction: 'up', all: 'yes', depth: '0' },
    { depth: '1001', avoid: '[1, null]', avoid_classes: '{"a": 1}' },
    { depth: '1.5', avoid: '[', avoid_classes: '' },
  ])('is an empty form for %j', (address) => {
    expect(choicesOf(address)).toEqual(EMPTY);
  });
});
