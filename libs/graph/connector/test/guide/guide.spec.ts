import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  connectorMatchers,
  type ConnectorType,
  firstPartyConnectors,
  loadConnectors,
  planWaves,
  printWaves,
  readConnector,
  runConnector,
} from '#graph/connector';
import { NodeDisk } from '#platform/disk';
import { pageWith } from '#testing';

const GUIDE = readFileSync(join(import.meta.dirname, '../../../../../docs/connectors.md'), 'utf8');
const VOCABULARY = join(import.meta.dirname, '../../../../../docs/connector-vocabulary.md');
const DISK = new NodeDisk();
const TYPES = firstPartyConnectors(DISK);
const SILENT = { info: () => undefined, warn: () => undefined };
const ENVIRONMENT = {
  LDAP_PASSWORD: 'x-x-x',
  CRM_PASSWORD: 'x-x-x',
  INVENTORY_TOKEN: 'x-x-x',
  CMDB_TOKEN: 'x-x-x',
};

/** The beginning of a module. */
const OWN =
  "export const connector = ({ defineConnector }) => defineConnector({ name: 'own', about: 'a source',";

const blocks = (language: string) =>
  Array.from(
    GUIDE.matchAll(new RegExp('```' + language + '\\n([\\s\\S]*?)```', 'g')),
    ([, text = '']) => text,
  );

/** A section for each connector, with a table of its types and one of its relationships. */
function vocabularyText(types: readonly ConnectorType[]): string {
  return types
    .map(({ name, about, vocabulary = { entities: {}, relationships: {} } }) => {
      const tables = [
        ['entity', vocabulary.entities],
        ['relationship', vocabulary.relationships],
      ] as const;
      const texts = tables.map(([head, phrases]) => phraseTable(head, phrases));
      return [`## ${name}`, `${about.slice(0, 1).toUpperCase()}${about.slice(1)}.`, ...texts].join('\n\n');
    })
    .join('\n\n');
}

function phraseTable(head: string, phrases: Readonly<Record<string, string>>): string {
  const code = (text: string): string => `\`${text}\``;
  const rows = Object.entries(phrases).map(([phrase, names]) => {
    const words = names.split(' ').filter((word) => word !== '' && word !== '*');
    const rest = names.split(' ').includes('*') ? ['others of the source'] : [];
    return [code(phrase), [...words.sort().map(code), ...rest].join(', ')] as const;
  });
  const titles = [head, 'properties'] as const;
  const widths = titles.map((_, at) => Math.max(...[titles, ...rows].map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [titles, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n');
}

/** The connector of the guide, loaded like the server does. */
async function inventory(): Promise<ConnectorType> {
  const options = { types: TYPES, environment: ENVIRONMENT, log: SILENT };
  const [connector] = await loadConnectors(DISK, import.meta.dirname, options);
  if (connector === undefined) throw new Error('there is no connector file');
  return connector.type;
}

describe('the guide', () => {
  it.each([
    ['js', 'inventory.mjs'],
    ['yaml', 'inventory.yaml'],
  ])('shows in %s what runs here: %s', async (language, name) => {
    expect(blocks(language)).toContain(await readFile(join(import.meta.dirname, name), 'utf8'));
  });

  it('has valid configurations', async () => {
    const module = await inventory();

    const read = blocks('yaml').map((text) =>
      readConnector(text, 'guide.yaml', {
        types: TYPES,
        environment: ENVIRONMENT,
        ...(text.includes('./inventory.mjs') && { module: { type: module } }),
      }),
    );

    expect(read.map(({ type }) => type.name).sort()).toEqual([
      'advisories',
      'aws',
      'bloodhound',
      'containers',
      'csv',
      'host',
      'inventory',
      'json',
      'kubernetes',
      'ldap',
      'ldap',
      'nmap',
      'osquery',
      'postgres',
      'sbom',
      'stix',
      'synthetic',
      'terraform',
    ]);
  });

  it('prints the waves of the example', async () => {
    const { steps } = await inventory();

    expect(blocks('text')).toContain(`${printWaves(planWaves(steps({ retries: 0 })))}\n`);
  });

  it('documents every configuration key', async () => {
    const keys = [...TYPES, await inventory()].flatMap(({ config }) => Object.keys(config));

    expect(keys.filter((key) => !GUIDE.includes(`\`${key}\``) && !GUIDE.includes(`${key}:`))).toEqual([]);
  });
});

describe('the vocabulary', () => {
  it('of every connector of the product is published (UPDATE_GOLDEN=1 rewrites it)', async () => {
    const unpublished = TYPES.filter(({ vocabulary }) => vocabulary === undefined);
    const { page, wanted } = await pageWith(VOCABULARY, 'vocabulary', vocabularyText(TYPES));

    expect(unpublished.map(({ name }) => name)).toEqual([]);
    expect(page).toBe(wanted);
  });

  it('lacks nothing that a connector says in a test', async () => {
    const config = { hosts: 1, services: 1, users: 1 };
    const type = TYPES.find(({ name }) => name === 'synthetic');
    if (type === undefined) throw new Error('there is no synthetic connector');
    const poor = { ...type, vocabulary: { entities: { host: 'name', '*r': '*' }, relationships: {} } };

    const running = runConnector(poor, { config });

    // The steps of a wave emit in any order.
    for (const missing of ['host: os; host: region; host: env; host: cpu', 'service'])
      await expect(running).rejects.toThrow(new RegExp(`synthetic lacks (?:.*; )?${missing};`));
  });
});

describe('a connector in its own module', () => {
  it('reads its source', async () => {
    const service = createServer((request, reply) => {
      const isKnown = request.headers.authorization === 'Bearer secret-token';
      reply.writeHead(isKnown ? 200 : 401).end(JSON.stringify([{ id: 'web-1', os: 'linux', owner: 'ann' }]));
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const address = service.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const config = { url: `http://127.0.0.1:${port}`, token_env: 'TOKEN', retries: 0 };
    const type = await inventory();

    const run = await runConnector(type, { config, environment: { TOKEN: 'secret-token' } });
    const refused = await runConnector(type, { config, environment: { TOKEN: 'another' } });

    service.close();
    expect(connectorMatchers.toHaveCompleted(run)).toMatchObject({ pass: true });
    expect(connectorMatchers.toHaveRelated(run, 'ann OWNS web-1')).toMatchObject({ pass: true });
    expect(refused.report).toMatchObject({
      status: 'failed',
      steps: [{ reason: 'the service answered 401' }, {}],
    });
  });

  it.each([
    ['export const x = 1;', 'expected ./own.mjs to export a connector: ({ defineConnector, …'],
    ['export const connector = 5;', 'expected ./own.mjs to export a connector'],
    ['export const connector = () => ({ name: "x" });', 'expected ./own.mjs to export a connector'],
    [`${OWN} config: { url: 5 }, steps: () => [] });`, 'expected ./own.mjs to export a connector'],
    [`${OWN} config: {}, steps: () => 5 });`, 'connector: '],
    [`${OWN} config: {}, steps: () => { throw new Error('no tables'); } });`, 'connector: no tables'],
    [`${OWN} config: {}, steps: () => [{ id: 'a', dependsOn: ['b'] }] });`, 'step a depends on b'],
    ['throw new Error("no licence");', 'cannot load ./own.mjs: no licence'],
    ['export const connector = (', 'cannot load ./own.mjs: '],
    ["import './missing.mjs';", "cannot load ./own.mjs: Cannot find module './missing.mjs'"],
    ["import 'plexus-missing';", "cannot load ./own.mjs: Cannot find package 'plexus-missing'"],
    [undefined, "cannot load ./own.mjs: Cannot find module './own.mjs'"],
  ])('fails alone if its module cannot be used: %s', async (source, reason) => {
    const directory = await mkdtemp(join(tmpdir(), 'plexus-module-'));
    await writeFile(join(directory, 'own.yaml'), 'connector: ./own.mjs\nschedule: every:1h\n');
    await writeFile(join(directory, 'sample.yaml'), 'connector: synthetic\n');
    if (source !== undefined) await writeFile(join(directory, 'own.mjs'), source);

    const options = { types: TYPES, environment: {}, log: SILENT };
    const loaded = await loadConnectors(DISK, directory, options);

    const [own, sample] = loaded;
    expect(own).toMatchObject({ id: 'own', schedule: { text: 'every:1h' } });
    expect(own?.fault).toContain(reason);
    expect(own?.fault).not.toContain(directory);
    expect(() => own?.prepare()).toThrow(reason);
    expect(sample?.fault).toBeUndefined();
    await rm(directory, { recursive: true });
  });

  it('is refused with the place of a key that it does not know', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'plexus-module-'));
    await writeFile(join(directory, 'own.yaml'), 'connector: ./own.mjs\nconfig:\n  tokn: x\n');
    await writeFile(join(directory, 'own.mjs'), `${OWN} config: {}, steps: () => [] });`);

    const loading = loadConnectors(DISK, directory, { types: TYPES, environment: {}, log: SILENT });

    await expect(loading).rejects.toThrow(/own\.yaml:3:3: unknown key "tokn"/);
    await rm(directory, { recursive: true });
  });
});
