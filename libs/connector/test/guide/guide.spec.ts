import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NodeDisk } from '#disk';
import { firstPartyConnectors, planWaves, printWaves, readConnector } from '#connector';
import { inventoryConnector } from './inventory-connector.ts';

const GUIDE = readFileSync(join(import.meta.dirname, '../../../../docs/connectors.md'), 'utf8');
const TYPES = [...firstPartyConnectors(new NodeDisk()), inventoryConnector];

const blocks = (language: string) =>
  Array.from(
    GUIDE.matchAll(new RegExp('```' + language + '\\n([\\s\\S]*?)```', 'g')),
    ([, text = '']) => text,
  );

describe('the guide', () => {
  it.each(['inventory-connector.ts', 'inventory-connector.spec.ts'])('shows %s as it is run here', (name) => {
    expect(blocks('ts')).toContain(readFileSync(join(import.meta.dirname, name), 'utf8'));
  });

  it('has configurations that are valid', () => {
    const environment = { LDAP_PASSWORD: 'x-x-x', CRM_PASSWORD: 'x-x-x', INVENTORY_TOKEN: 'x-x-x' };

    const read = blocks('yaml').map((text) =>
      readConnector(text, 'guide.yaml', { types: TYPES, environment }),
    );

    expect(read.map(({ type }) => type.name).sort()).toEqual([
      'inventory',
      'ldap',
      'postgres',
      'sbom',
      'stix',
      'synthetic',
    ]);
  });

  it('prints the waves of the example', () => {
    const waves = printWaves(planWaves(inventoryConnector.steps({ retries: 0 })));

    expect(blocks('text')).toContain(`${waves}\n`);
  });

  it('tells of every configuration key', () => {
    const keys = TYPES.flatMap(({ config }) => Object.keys(config));

    expect(keys.filter((key) => !GUIDE.includes(`\`${key}\``) && !GUIDE.includes(`${key}:`))).toEqual([]);
  });
});
