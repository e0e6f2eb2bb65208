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

const GUIDE = readFileSync(join(import.meta.dirname, '../../../../../docs/connectors.md'), 'utf8');
const DISK = new NodeDisk();
const TYPES = firstPartyConnectors(DISK);
const SILENT = { info: () => undefined, warn: () => undefined };
const ENVIRONMENT = { LDAP_PASSWORD: 'x-x-x', CRM_PASSWORD: 'x-x-x', INVENTORY_TOKEN: 'x-x-x' };

/** The beginning of a module. */
const OWN =
  "export const connector = ({ defineConnector }) => defineConnector({ name: 'own', about: 'a source',";

const blocks = (language: string) =>
  Array.from(
    GUIDE.matchAll(new RegExp('```' + language + '\\n([\\s\\S]*?)```', 'g')),
    ([, text = '']) => text,
  );

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
      'bloodhound',
      'inventory',
      'kubernetes',
      'ldap',
      'postgres',
      'sbom',
      'stix',
      'synthetic',
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
