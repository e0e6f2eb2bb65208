import { describe, expect, it } from '@jest/globals';
import { Secret } from '#platform/foundation';
import { integerField, listField, secretField, switchField, textField, wordField } from './config-field.ts';
import { defineConnector } from './connector-type.ts';
import { readConnector } from './read-connector.ts';

const TYPE = defineConnector({
  name: 'crm',
  about: 'customers',
  config: {
    url: textField({ about: 'address of the service' }),
    page_size: integerField({ about: 'rows of a page', fallback: 100 }, 1, 1_000),
    tables: listField({ about: 'tables', fallback: [] }),
    mode: wordField({ about: 'how', fallback: 'fast' }, ['fast', 'slow']),
    verify: switchField({ about: 'whether', fallback: true }),
    token_env: secretField('variable with the token'),
  },
  steps: () => [{ id: 'rows', run: () => undefined }],
});

const read = (text: string, file = 'conf/crm-eu.yaml') =>
  readConnector(text, file, { types: [TYPE], environment: { CRM_TOKEN: 'opensesame' } });

const GOOD = `connector: crm
config:
  url: https://crm
  tables: [a, b]
  token_env: CRM_TOKEN
schedule: every:6h
mappings:
  - { verb: MAPS_TO, from: group, to: db_role, on: to.name = from.cn }
`;

describe('readConnector', () => {
  it('reads a file with defaults and the id of its name', () => {
    const connector = read(GOOD);

    const { config, secrets } = connector.prepare();
    expect(connector).toMatchObject({
      id: 'crm-eu',
      schedule: { text: 'every:6h' },
      mappings: [{ verb: 'MAPS_TO', from: 'group', to: 'db_role', fromField: 'cn', toField: 'name' }],
    });
    expect(config).toMatchObject({ url: 'https://crm', page_size: 100, tables: ['a', 'b'], mode: 'fast' });
    expect(secrets.map((secret) => secret.reveal())).toEqual(['opensesame']);
    expect(JSON.stringify(config)).not.toContain('opensesame');
    expect((config as { token_env: unknown }).token_env).toBeInstanceOf(Secret);
  });

  it.each([
    ['connector: crn\n', '1:12: there is no connector "crn": did you mean crm?'],
    ['connecter: crm\n', '1:1: unknown key "connecter", did you mean connector?'],
    ['connector: crm\nconfig:\n  ulr: x\n', '3:3: unknown key "ulr", did you mean url?'],
    ['connector: crm\nconfig:\n  page_size: 3\n', '3:3: config.url: missing, expected a text'],
    [
      'connector: crm\nconfig:\n  url: x\n  page_size: 0\n',
      '4:14: config.page_size: expected a whole number',
    ],
    ['connector: crm\nconfig:\n  url: x\n  tables: a\n', '4:11: config.tables: expected a list of'],
    ['connector: crm\nconfig:\n  url: x\n  mode: fats\n', '4:9: config.mode: expected `fast` or `slow`'],
    ['connector: crm\nconfig:\n  url: x\n  verify: 1\n', '4:11: config.verify: expected true or false'],
    [
      'connector: crm\nconfig:\n  url: x\n  token_env: s3cr3t!\n',
      'expected the name of an environment variable',
    ],
    ['connector: crm\nid: api\nconfig: {url: x}\n', '2:5: id: api is reserved'],
    ['connector: crm\nid: A b\nconfig: {url: x}\n', '2:5: id: expected lower-case letters'],
    ['connector: crm\nschedule: every:21d\nconfig: {url: x}\n', '2:11: expected manual, cron:'],
    ['connector: crm\nschedule: sometimes\nconfig: {url: x}\n', '2:11: expected manual, cron:'],
    ['connector: crm\nschedule: cron:0 2 * *\nconfig: {url: x}\n', '2:11: expected a cron expression'],
    ['connector: crm\nschedule: cron:0 0 30 2 *\nconfig: {url: x}\n', '2:11: this cron expression never'],
    [
      'connector: crm\nconfig: {url: x}\nmappings: [{verb: X, from: a, to: b, on: a = b}]',
      '3:42: expected an equation',
    ],
    [
      'connector: crm\nconfig: {url: x}\nmappings: [{verb: X, from: a, to: b}]',
      '3:12: mappings.0.on: missing, expected a text',
    ],
    [
      'connector: crm\nconfig: {url: x}\nmappings:\n  - { verb: X, from: a, to: b, on: from.a = to.b, ignore_case: 1 }',
      '4:64: mappings.0.ignore_case: expected true or false',
    ],
    [
      'connector: crm\nconfig: {url: x}\nmappings:\n  - verb: X\n    from: a\n    to: b\n    on: from.a = to.b\n    from_transform: [lower, title]',
      '8:29: expected lower, upper or capture:<pattern>',
    ],
    [
      'connector: crm\nconfig: {url: x}\nmappings:\n  - { verb: X, from: a, to: b, on: from.a = to.b, to_transform: ["capture:(a"] }',
      '4:67: expected a pattern of RE2: missing closing )',
    ],
    [
      'connector: crm\nconfig: {url: x}\nmappings:\n  - { verb: X, from: a, to: b, on: from.a = to.b, ignorecase: true }',
      '4:51: unknown key "ignorecase", did you mean ignore_case?',
    ],
    ['- 1', '1:1: expected a table'],
    ['', 'expected a table'],
  ])('refuses %j', (text, message) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining(message) }),
    );
    expect(() => read(text)).toThrow(/^conf\/crm-eu\.yaml(:\d+:\d+)?: /);
  });

  it('keeps a connector with an unset variable, which its runs report', () => {
    const connector = read('connector: crm\nconfig:\n  url: x\n  token_env: NONE\n');

    const fault = 'config.token_env: the environment variable NONE is not set';
    expect(connector.fault).toBe(fault);
    expect(() => connector.prepare()).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: fault }),
    );
  });

  it.each([
    ['every:30m', '2026-01-02T10:50:00.000Z'],
    ['cron:0 2 * * *', '2026-01-03T02:00:00.000Z'],
    ['manual', undefined],
  ])('knows when %s is next', (schedule, next) => {
    const connector = read(`connector: crm\nschedule: ${schedule}\nconfig: {url: x}`);

    const nextMs = connector.schedule.nextMs(Date.UTC(2026, 0, 2, 10, 20));
    expect(nextMs && new Date(nextMs).toISOString()).toBe(next);
  });

  it('never quotes what may be a secret under the wrong key', () => {
    const failure = (): unknown => read('connector: crm\nconfig:\n  url: x\n  token_env: hunter2-!\n');

    expect(failure).not.toThrow(/hunter2/);
    expect(failure).toThrow('config.token_env');
  });
});
