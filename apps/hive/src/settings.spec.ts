import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { EXPECTABLE_ERRORS, MIX_KINDS } from '#load/scenario';
import { FAILURE_CLASSES, TRANSACTION_KINDS } from '#load/worker';
import { kebabCase } from '#platform/config';
import { VERSION } from '#platform/foundation';
import { SETTING_PREFIX, SETTING_TABLE } from './settings.ts';

const read = (path: string): Promise<string> =>
  readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');

describe('settings', () => {
  it('match the documented settings', async () => {
    const text = await read('docs/load-testing.md');

    const documented = [...text.matchAll(/^\| `(PLEXUS_\w+)` /gm)].map(([, name]) => name).sort();
    expect(documented).toEqual(
      Object.values(SETTING_TABLE)
        .map(({ env }) => env)
        .sort(),
    );
  });

  it('have the same names as variables and as flags', () => {
    for (const [name, { env }] of Object.entries(SETTING_TABLE)) {
      // The graph service shares this variable: one rule for browsers on a machine.
      const prefix = name === 'allowedHosts' ? 'PLEXUS_' : SETTING_PREFIX;
      expect(env).toBe(prefix + kebabCase(name).replaceAll('-', '_').toUpperCase());
    }
  });
});

describe('a scenario', () => {
  it('accepts only failures and transaction kinds that edges support', () => {
    expect(FAILURE_CLASSES).toEqual(expect.arrayContaining([...EXPECTABLE_ERRORS]));
    expect([...MIX_KINDS]).toEqual([...TRANSACTION_KINDS]);
  });
});

it('the version matches package.json', async () => {
  expect(VERSION).toBe((JSON.parse(await read('package.json')) as { version: string }).version);
});
