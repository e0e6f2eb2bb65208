import { describe, expect, it } from '@jest/globals';
import { Secret } from '#platform/foundation';
import { ApiKeyGate } from './api-key-gate.ts';

const gate = new ApiKeyGate({ apiKey: new Secret('s3cret key'), openMarks: ['docs'] });

describe('ApiKeyGate', () => {
  it.each(['Bearer s3cret key', 'bearer s3cret key', 'BEARER s3cret key', 'Bearer  s3cret key'])(
    'admits %j',
    (header) => {
      expect(gate.admits(header, undefined)).toBe(true);
    },
  );

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    's3cret key',
    'Basic s3cret key',
    'Bearer s3cret ke',
    'Bearer s3cret key ',
    'Bearer s3cret kez',
    'Bearers3cret key',
    'Bearer S3CRET KEY',
  ])('rejects %j', (header) => {
    expect(gate.admits(header, undefined)).toBe(false);
  });

  it('admits requests without a key to public routes and to routes that the settings open', () => {
    expect(gate.admits(undefined, 'always')).toBe(true);
    expect(gate.admits(undefined, 'docs')).toBe(true);
    expect(gate.admits(undefined, 'other')).toBe(false);
  });

  it('admits every request in open mode', () => {
    const open = new ApiKeyGate({ apiKey: undefined });

    expect(open.isOpen).toBe(true);
    expect(open.admits(undefined, undefined)).toBe(true);
  });
});
