import { describe, expect, it } from '@jest/globals';
import { ConnectorSettings } from '#graph/connector';
import { EngineSettings } from '#graph/engine';
import { ExecutionSettings } from '#graph/execution';
import { NotifySettings } from '#graph/notify';
import { PolicySettings } from '#graph/policy';
import { QuerySettings } from '#graph/query';
import { StorageSettings } from '#graph/storage';
import { retentionOf, SETTING_TABLE } from '../src/settings.ts';

describe('the defaults of a library', () => {
  it.each([
    ConnectorSettings,
    EngineSettings,
    ExecutionSettings,
    NotifySettings,
    PolicySettings,
    QuerySettings,
    StorageSettings,
  ])('%p are those of the service', (type) => {
    const table = Object.entries(SETTING_TABLE).map(([name, { fallback }]) => [name, fallback] as const);
    const { retentionMs: retention, historyMs: history } = retentionOf({
      retention: undefined,
      history: undefined,
    });
    const known: Readonly<Record<string, unknown>> = { ...Object.fromEntries(table), retention, history };
    const own = Object.entries(new type()).filter(([name]) => name in known);

    expect(own.length).toBeGreaterThan(0);
    expect(own).toEqual(own.map(([name]) => [name, known[name]]));
  });
});
