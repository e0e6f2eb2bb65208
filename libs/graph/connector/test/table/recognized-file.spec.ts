import { describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { UploadedFile } from '#graph/connector';
import { csvRows } from '../../src/connectors/table/csv-rows.ts';
import { isBadRow, type SourceRow } from '../../src/connectors/table/source-row.ts';
import { columnsOf, guessedMapping } from '../../src/import/guessed-mapping.ts';
import { KnownKeys } from '../../src/import/known-keys.ts';
import { recognizedFile } from '../../src/import/recognized-file.ts';

const formOf = (content: string | Uint8Array, records?: string) => {
  const file = new UploadedFile('x', Buffer.from(content));
  return recognizedFile(file, file.path, records);
};

const line = JSON.stringify;
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
const BILL = { bomFormat: 'CycloneDX', specVersion: '1.6', components: [] };
const ARN = 'arn:aws:iam::123456789012:role/a';
const STIX = { type: 'indicator', id: 'indicator--8e2e2d2b-17d4-4cbf-938f-98ee46b3cd3f' };

describe('a file that is dropped', () => {
  it.each<[string, string, string]>([
    ['csv', 'CSV', '\uFEFFid;name\n1;a'],
    ['csv', 'CSV', 'hostname\na\nb'],
    ['csv', 'CSV', '#TYPE System.Management.Automation.PSCustomObject\r\n"Name","OS"\r\n"a","b"'],
    ['csv', 'CSV', '"a key",b\n1,2'],
    ['json', 'JSON', '[{"id":1}]'],
    ['json', 'JSON', '\uFEFF [\n{"id":1}]'],
    ['json', 'JSON', '{"count":1,"data":{"items":[{"id":1}]}}'],
    ['json', 'NDJSON', '{"id":1}\n{"id":2}\n'],
    ['json', 'NDJSON', '{"id":1}'],
    ['sbom', 'CycloneDX', '{"specVersion":"1.6","components":[{"name":"a"}],"bomFormat":"CycloneDX"}'],
    ['sbom', 'CycloneDX', '<?xml version="1.0"?><bom xmlns="http://cyclonedx.org/schema/bom/1.5"/>'],
    ['sbom', 'SPDX', '{"spdxVersion":"SPDX-2.3","packages":[]}'],
    ['sbom', 'SPDX', '{"sbom":{"spdxVersion":"SPDX-2.3","packages":[]}}'],
    ['sbom', 'SPDX', 'SPDXVersion: SPDX-2.3\nDataLicense: CC0-1.0'],
    ['sbom', 'SPDX', '{"@context":"https://spdx.org/rdf/3.0.1/spdx-context.jsonld","@graph":[]}'],
    ['sbom', 'OpenVEX', '{"@context":"https://openvex.dev/ns/v0.2.0","statements":[]}'],
    ['sbom', 'package-lock.json', '{"name":"a","lockfileVersion":3,"packages":{}}'],
    ['sbom', 'yarn.lock', '# yarn lockfile v1\n\na@1:\n  version "1"'],
    ['sbom', 'pnpm-lock.yaml', "lockfileVersion: '9.0'\n"],
    ['sbom', 'poetry.lock', '[[package]]\nname = "a"\nversion = "1"\npython-versions = "*"\n'],
    ['sbom', 'composer.lock', '{"content-hash":"x","packages":[{"name":"a/b","version":"1"}]}'],
    ['sbom', 'Gemfile.lock', 'GEM\n  remote: https://rubygems.org/\n  specs:\n    a (1)\n'],
    ['sbom', 'requirements.txt', '# pinned\nflask==1.0\n'],
    ['sbom', 'go.mod', 'module example.com/shop\n\ngo 1.22\n'],
    ['stix', 'STIX', `{"objects":[${JSON.stringify(STIX)}],"type":"bundle"}`],
    ['stix', 'STIX', `{"more":false,"objects":[${JSON.stringify(STIX)}]}`],
    ['stix', 'STIX', `[${JSON.stringify(STIX)}]`],
    ['stix', 'STIX', line(STIX)],
    ['kubernetes', 'Kubernetes', line([POD])],
    ['terraform', 'Terraform', '{"format_version":"1.0"}'],
    [
      'terraform',
      'Terraform',
      '{"version":3,"terraform_version":"0.11.14","lineage":"a","modules":[{"path":["root"]}]}',
    ],
    [
      'bloodhound',
      'BloodHound',
      '{"users":[{"ObjectIdentifier":"S-1-5-21-1-500"}],"meta":{"type":"users","version":3}}',
    ],
    ['aws', 'AWS CLI', '{"GroupDetailList":[]}'],
    [
      'aws',
      'AWS CLI',
      '{"Buckets":[{"Name":"logs","CreationDate":"2026-01-01T00:00:00Z"}],"Owner":{"ID":"x"}}',
    ],
    ['aws', 'AWS CLI', line({ Functions: [{ FunctionName: 'f', FunctionArn: ARN }] })],
    ['aws', 'AWS CLI', line({ cluster: { name: 'c', arn: ARN } })],
    ['aws', 'AWS CLI', line({ UserId: 'A', Account: '123456789012', Arn: ARN })],
    ['aws', 'AWS CLI', line({ Accounts: [{ Id: '123456789012', Arn: ARN }] })],
    ['aws', 'AWS CLI', line({ Parents: [{ Id: 'ou-ab12-cdefgh34', Type: 'ORGANIZATIONAL_UNIT' }] })],
    ['aws', 'AWS CLI', line({ Policy: { PolicySummary: { Arn: ARN }, Content: '{}' } })],
    ['json', 'JSON', '{"Accounts":[{"Id":"1","Name":"Sales"}]}'],
    ['json', 'JSON', '{"Children":[{"Id":"7","Type":"x"}]}'],
  ])('is read by %s as %s: %s', async (connector, format, content) => {
    expect(await formOf(content)).toMatchObject({ connector, format });
  });

  it('is a list of records all the same if that is named', async () => {
    expect(await formOf(line([BILL]), 'all')).toMatchObject({ format: 'JSON' });
    expect(await formOf(`${line(POD)}\n${line(POD)}`, 'all')).toMatchObject({ format: 'NDJSON' });
  });

  it('is known by its first item, however long that is', async () => {
    const long = { ...POD, spec: { note: 'x'.repeat(200_000) } };

    expect(await formOf(line([long, POD]))).toMatchObject({ connector: 'kubernetes' });
  });

  it('has its records in the one list of a document, or in the one that is named', async () => {
    expect(await formOf('{"page":1,"data":{"items":[{"id":1}]}}')).toMatchObject({ records: 'data.items' });
    expect(await formOf('{"a":[{"id":1}],"b":[{"id":1}]}', 'b')).toMatchObject({ records: 'b' });
  });

  it.each<[string, string | Uint8Array, string]>([
    ['nothing', ' \n', 'an empty file'],
    ['a spreadsheet', Buffer.from('504b030414000600', 'hex'), 'a zip archive or a spreadsheet'],
    ['a compressed file', gzipSync('id\n1'), 'a compressed file'],
    ['UTF-16', Buffer.from('\uFEFFid,os\na,b', 'utf16le'), 'UTF-16: save it as UTF-8'],
    ['Latin 1', Buffer.from('id,gr\xf6\xdfe\na,b and more', 'latin1'), 'no text in UTF-8'],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d', 'hex'), 'no text in UTF-8'],
    ['a page', '<!doctype html><title>x</title>', 'XML of another kind'],
    ['a go.sum', 'a v1.0.0 h1:x=\na v1.0.0/go.mod h1:y=\n', 'a go.sum, which has more than what is built'],
    ['prose', 'Dear all\nplease find attached', 'text without columns'],
    ['one object', '{\n"id": 1\n}', 'one object in JSON, without a list of records'],
    [
      'several lists',
      '{"a":[{"id":1}],"b":[{"id":1}]}',
      'JSON with several lists (a, b): name one as records',
    ],
    [
      'damaged JSON',
      '{"id":',
      'expected one document in JSON, or one on each line, got text that is not JSON',
    ],
    [
      'documents one after the other',
      '{\n"id": 1\n}\n{\n"id": 2\n}',
      'got text that is not JSON at line 4, column 1',
    ],
    ['bills in a list', line([BILL, BILL]), 'several documents of CycloneDX in a list: write each to a file'],
    ['objects of STIX on lines', `${line(STIX)}\n${line(STIX)}`, 'several documents of STIX on lines'],
    [
      'objects of Kubernetes on lines',
      `${line(POD)}\n${line(POD)}`,
      'several documents of Kubernetes on lines',
    ],
    ['answers of AWS in a list', '[{"Reservations":[]}]', 'several documents of AWS CLI in a list'],
    [
      'an old report of Trivy',
      `[\n {\n  "Target": "a", "Vulnerabilities": [{"Title": "${'x'.repeat(100_000)}"}]}]`,
      'a report of Trivy before version 0.20: write it with a newer one',
    ],
  ])('is refused if it is %s', async (_what, content, message) => {
    await expect(formOf(content)).rejects.toThrow(message);
  });

  it('can be opened, and nothing else can', async () => {
    const file = new UploadedFile('../../etc/a b.csv', Buffer.from('x'));

    expect(file.path).toBe('/upload/a b.csv');
    for (const path of ['/etc/passwd', '/upload/package.json', '/upload'])
      await expect(file.open(path, 'read')).rejects.toThrow('ENOENT');
    await expect(file.open(file.path, 'write')).rejects.toThrow('EROFS');
    expect(await file.list('/upload')).toEqual(['a b.csv']);
    expect(await file.listDirectories('/upload')).toEqual([]);
    await expect(file.list('/etc')).rejects.toThrow('ENOENT');
  });
});

describe('the mapping of a table', () => {
  /** `known`: keys of the graph, by type. */
  async function guess(
    text: string,
    names: string | readonly string[] = [],
    known: Readonly<Record<string, readonly string[]>> = {},
  ) {
    const file = new UploadedFile('x', Buffer.from(text));
    async function* bytes() {
      yield await file.readBytes(file.path);
    }
    const rows: SourceRow[] = [];
    for await (const row of csvRows(bytes(), { columns: [] })) if (!isBadRow(row)) rows.push(row);
    const typesOfKeys = (keys: readonly string[]) => {
      const typesOf = (key: string) => Object.keys(known).filter((type) => known[type]?.includes(key));
      return Promise.resolve(new Map(keys.map((key) => [key, typesOf(key)])));
    };
    return guessedMapping(rows, [names].flat(), await KnownKeys.of(rows, columnsOf(rows), typesOfKeys));
  }

  it('is guessed from names and values of the columns, and the name of the file', async () => {
    const text =
      'Hostname,Display Name,CPU cores,load,zip,on,Owner,groups,site_id,note\n' +
      'web-1,Web,8,0.5,01067,yes,ann,a;b,7,x\nweb-2,Web 2,4,1,10115,no,bob,a,8,\n';

    expect(await guess(text, 'servers-2026-01.csv')).toEqual({
      type: 'server',
      key: 'Hostname',
      name: 'Display Name',
      properties: {
        display_name_: 'Display Name',
        cpu_cores: { column: 'CPU cores', as: 'integer' },
        load: { column: 'load', as: 'number' },
        zip: 'zip',
        on: { column: 'on', as: 'boolean' },
        note: 'note',
      },
      relationships: [
        { verb: 'OWNS', from: 'user', column: 'Owner' },
        { verb: 'MEMBER_OF', to: 'group', column: 'groups', separator: ';' },
        { verb: 'REFERENCES', to: 'site', column: 'site_id' },
      ],
    });
  });

  it('relates rows to the entities whose keys a column has', async () => {
    const text = 'table,read_by,team,note\norders,sales;audit,red,a\nstock,storage,blue,b\n';

    const found = await guess(text, 'tables.csv', {
      group: ['sales', 'storage'],
      user: ['sales'],
      squad: ['red', 'blue'],
    });

    expect(found.relationships).toEqual([
      { verb: 'CAN_READ', from: 'group', column: 'read_by', separator: ';' },
      { verb: 'MEMBER_OF', to: 'squad', column: 'team' },
    ]);
    expect(found.properties).toEqual({ note: 'note' });
  });

  it.each<[string, string, Readonly<Record<string, readonly string[]>>, object | undefined]>([
    [
      'all are keys of one type',
      'a,b',
      { zone: ['a', 'b'] },
      { verb: 'REFERENCES', to: 'zone', column: 'x' },
    ],
    ['one is no key', 'a,b', { zone: ['a'] }, undefined],
    ['there is one value', 'a,a', { zone: ['a'] }, undefined],
    ['they are keys of two types', 'a,b', { zone: ['a', 'b'], site: ['a', 'b'] }, undefined],
    ['they are numbers', '1,2', { zone: ['1', '2'] }, undefined],
    ['they are keys of the same type', 'a,b', { host: ['a', 'b'] }, undefined],
  ])('of a column without a telling name goes by its values: %s', async (_what, values, known, link) => {
    const [first = '', second = ''] = values.split(',');

    const found = await guess(`host,x\nh1,${first}\nh2,${second}\n`, 'hosts.csv', known);

    expect(found.relationships).toEqual(link && [link]);
  });

  it.each([
    ['one value is a key', 'orders,', { to: 'table' }],
    ['several are in a cell', '"orders,stock",stock', { to: 'table', separator: ',' }],
  ])('of a column whose name is a verb leads to the type of its values: %s', async (_what, cells, link) => {
    const [first = '', second = ''] = cells.split(/,(?=\w*$)/);
    const text = `name,can_read\nsales,${first}\nstorage,${second}\n`;

    const found = await guess(text, 'groups.csv', { table: ['orders', 'stock'] });
    const unknown = await guess(text, 'groups.csv');

    expect(found.relationships).toEqual([{ verb: 'CAN_READ', column: 'can_read', ...link }]);
    expect(unknown.relationships).toBeUndefined();
  });

  it('has the type that a name tells if no value is known', async () => {
    const found = await guess('table,read_by\norders,sales\nstock,storage\n', 'tables.csv');

    expect(found.relationships).toEqual([{ verb: 'CAN_READ', from: 'user', column: 'read_by' }]);
  });

  it.each([
    [['first.csv', 'hosts'], 'host'],
    [['hosts.csv', 'cmdb'], 'host'],
    [['first.csv', 'racks'], 'first'],
    [['network-interfaces.csv', 'cmdb'], 'network_interface'],
    [['2026.csv', 'racks'], 'rack'],
  ])('of the file and the source %j has the type %s', async (names, type) => {
    expect((await guess('name,size\na,1\nb,2', names)).type).toBe(type);
  });

  it.each<[string, string | undefined, string, string]>([
    ['email,name\na@x,Ann\nb@x,Bob', undefined, 'user', 'email'],
    ['user,group\nann,a\nann,b', 'memberships.csv', 'user', 'user'],
    ['name,uuid\na,1\na,2', 'export all.csv', 'record', 'uuid'],
    ['email,team\na@x,red\nb@x,blue', 'people.csv', 'person', 'email'],
    ['size,color\n1,red\n2,red', 'boxes.csv', 'box', 'size'],
    ['policy\na', 'policies.csv', 'policy', 'policy'],
  ])('of %j in %s has the type %s and the key %s', async (text, name, type, key) => {
    expect(await guess(text, name)).toMatchObject({ type, key });
  });
});
