import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { kebabCase, parseSettings, type Setting } from '#platform/config';
import { retentionOf, SETTING_PREFIX, SETTING_TABLE } from './settings.ts';

describe('SETTING_TABLE', () => {
  it('matches the settings in the documentation', async () => {
    const text = await readFile(new URL('../../../docs/operations.md', import.meta.url), 'utf8');

    const documented = [...text.matchAll(/^\| `(PLEXUS_\w+)` /gm)].map(([, name]) => name).sort();
    expect(documented).toEqual(
      Object.values(SETTING_TABLE)
        .map(({ env }) => env)
        .sort(),
    );
  });

  it('matches the flags and defaults in the documentation', async () => {
    const text = await readFile(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
    const row = /^\| `(PLEXUS_\w+)`\s*\| (\S+)\s*\| (\S+)\s*\|/gm;
    const table: Readonly<Record<string, Setting<unknown>>> = SETTING_TABLE;

    const documented = [...text.matchAll(row)].map(([, name, , fallback]) => [name, fallback]);
    const known = Object.values(table).map(({ env, fallbackText }) => [
      env,
      fallbackText === undefined ? '–' : `\`${fallbackText}\``,
    ]);
    expect(documented.sort()).toEqual(known.sort());
  });

  it('derives the environment variable from the flag', () => {
    const named = Object.entries(SETTING_TABLE).filter(([name]) => name !== 'store');

    expect(SETTING_TABLE.store.env).toBe('PLEXUS_STORE_URL');
    for (const [name, { env }] of named) {
      expect(env).toBe(SETTING_PREFIX + kebabCase(name).replaceAll('-', '_').toUpperCase());
    }
  });
});

describe('retentionOf', () => {
  const DAY_MS = 86_400_000;

  it.each([
    ['nothing', {}, 30, 7],
    ['a retention', { PLEXUS_RETENTION: '2d' }, 2, 2],
    ['no retention', { PLEXUS_RETENTION: 'off' }, 30, 0],
    ['a history', { PLEXUS_HISTORY: '3d' }, 30, 3],
    ['no history', { PLEXUS_HISTORY: 'off' }, 30, 0],
    ['both', { PLEXUS_RETENTION: '60d', PLEXUS_HISTORY: '3d' }, 60, 3],
    ['a history alone', { PLEXUS_RETENTION: 'off', PLEXUS_HISTORY: '3d' }, 30, 3],
  ] as const)('of %s', (_, environment, records, moments) => {
    const { retention, history } = parseSettings(SETTING_TABLE, { environment, prefix: SETTING_PREFIX });

    expect(retentionOf({ retention, history })).toEqual({
      retentionMs: records * DAY_MS,
      historyMs: moments * DAY_MS,
    });
  });
});
