import { describe, expect, it } from '@jest/globals';
import { isAddress, systemResolve } from './cluster-context.ts';

describe('systemResolve', () => {
  it('returns each address once', async () => {
    const found = await systemResolve('localhost');

    expect(found.length).toBeGreaterThan(0);
    expect(found.every(isAddress)).toBe(true);
    expect(new Set(found).size).toBe(found.length);
  });

  it('rejects with the code for an invalid name', async () => {
    await expect(systemResolve('no such name')).rejects.toHaveProperty('code');
  });
});

it.each([
  ['127.0.0.1', true],
  ['::1', true],
  ['localhost', false],
])('isAddress of %s: %s', (host, expected) => {
  expect(isAddress(host)).toBe(expected);
});
