import { describe, expect, it } from '@jest/globals';
import { DomainError, Secret } from '#platform/foundation';
import { parseSettings } from './parse-settings.ts';
import {
  booleanSetting,
  durationSetting,
  enumSetting,
  integerSetting,
  secretSetting,
  sizeSetting,
  stringSetting,
} from './setting.ts';

const about = 'a setting of the test';
const TABLE = {
  host: stringSetting({ env: 'T_HOST', about, fallback: '127.0.0.1' }),
  port: integerSetting({ env: 'T_PORT', about, fallback: 7700 }, 0, 65_535),
  queryTimeout: durationSetting({ env: 'T_QUERY_TIMEOUT', about, fallback: 30_000 }),
  bodyLimit: sizeSetting({ env: 'T_BODY_LIMIT', about, fallback: 2 ** 24 }),
  publicDocs: booleanSetting({ env: 'T_PUBLIC_DOCS', about, fallback: false }),
  logFormat: enumSetting({ env: 'T_LOG_FORMAT', about, fallback: 'text' }, ['text', 'json']),
  apiKey: secretSetting({ env: 'T_API_KEY', about }),
};

const parse = (
  environment: Record<string, string>,
  flags: Record<string, string | undefined> = {},
): ReturnType<typeof parseSettings<typeof TABLE>> =>
  parseSettings(TABLE, { environment, flags, prefix: 'T_' });

function messageOf(environment: Record<string, string>, flags: Record<string, string> = {}): string {
  try {
    parse(environment, flags);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'INVALID_CONFIG') return error.message;
    throw error;
  }
  throw new Error('expected the settings to be refused');
}

describe('parseSettings', () => {
  it('returns the defaults for unset and for empty variables', () => {
    const settings = parse({ T_PORT: '', T_API_KEY: '' });

    expect(settings).toMatchObject({
      host: '127.0.0.1',
      port: 7700,
      queryTimeout: 30_000,
      publicDocs: false,
    });
    expect(settings.apiKey).toBeUndefined();
  });

  it('rejects an empty flag of a setting that has a default', () => {
    expect(messageOf({}, { host: '' })).toBe('invalid configuration: --host: expected a value');
  });

  it('prefers a flag to the environment, and the environment to the default', () => {
    const settings = parse({ T_PORT: '1', T_HOST: '::1' }, { port: '2', host: undefined });

    expect(settings).toMatchObject({ port: 2, host: '::1' });
  });

  it('reads units', () => {
    const settings = parse({ T_QUERY_TIMEOUT: '500ms', T_BODY_LIMIT: '512KiB', T_PUBLIC_DOCS: 'ON' });

    expect(settings).toMatchObject({ queryTimeout: 500, bodyLimit: 524_288, publicDocs: true });
  });

  it('keeps a secret out of printed output', () => {
    const settings = parse({ T_API_KEY: 'hunter2' });

    expect(settings.apiKey).toBeInstanceOf(Secret);
    expect(JSON.stringify(settings)).not.toContain('hunter2');
  });

  it('reports all faults in one message, by name and never by value', () => {
    const message = messageOf(
      { T_PORT: 'hunter2', T_QUERY_TIMEOUT: '30', T_LOG_FORMAT: 'xml' },
      { bodyLimit: '1' },
    );

    expect(message).toBe(
      'invalid configuration: T_PORT: expected a whole number from 0 to 65535; ' +
        'T_QUERY_TIMEOUT: expected a number with a unit, such as 500ms, 30s or 30d; ' +
        '--body-limit: expected a number with a unit, such as 512KiB or 16MiB; ' +
        'T_LOG_FORMAT: expected text or json',
    );
  });

  it('ignores an unknown name that resembles no setting', () => {
    const settings = parse({ T_TEST_DATA: '/data', T_SEED: 'hunter2' });

    expect(settings.port).toBe(7700);
  });

  it('rejects a name that nearly matches a setting', () => {
    const message = messageOf({ T_APIKEY: 'hunter2', OTHER: 'ours not' });

    expect(message).toBe('invalid configuration: T_APIKEY: no such setting, did you mean T_API_KEY?');
  });

  it('returns a frozen object', () => {
    const settings = parse({});

    expect(Object.isFrozen(settings)).toBe(true);
  });
});
