import { describe, expect, it } from '@jest/globals';
import { prefersJson } from './refusal.ts';

describe('prefersJson', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/*',
    'application/json;charset=utf-8',
    'application/json;v=1;q=0.9, text/*;q=0.8',
    'text/plain;q=0.5, application/json',
    '*/*;q=0.1, application/json;q=0.2',
    'text/plain;q=0, */*',
    'text/html, application/json',
    'text/*;q=0.1,application/*;q=0.2, text/html',
  ])('%s prefers JSON', (accept) => {
    expect(prefersJson(accept)).toBe(true);
  });

  it.each([
    undefined,
    '',
    '*/*',
    'text/plain',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'application/json;q=0',
    'application/json;q=0.5, text/plain',
    'application/json, text/plain',
    'application/*;q=0.3, text/*;q=0.3',
    'application/json;q=2',
    'application/json;q=x',
    'image/png',
    ';;;,,,q=1',
  ])('%s does not', (accept) => {
    expect(prefersJson(accept)).toBe(false);
  });
});
