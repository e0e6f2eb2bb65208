import { describe, expect, it } from '@jest/globals';
import { ConnectorSettings } from '#graph/connector';
import { EngineSettings } from '#graph/engine';
import { ExecutionSettings } from '#graph/execution';
import { NotifySettings } from '#graph/notify';
import { PolicySettings } from '#graph/policy';
import { QuerySettings } from '#graph/query';
import { StorageSettings } from '#graph/storage';
import { SETTING_TABLE } from '../src/settings.ts';

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
    const known: Readonly<Record<string, { readonly fallback: unknown }>> = SETTING_TABLE;
    const own = Object.entries(new type()).filter(([name]) => name in known);

    expect(own.length).toBeGreaterThan(0);
    expect(own).toEqual(own.map(([name]) => [name, known[name]?.fallback]));
  });
});
