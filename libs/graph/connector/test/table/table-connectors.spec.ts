import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runConnector } from '#graph/connector';
import { NodeDisk } from '#platform/disk';
import { csvConnector, jsonConnector } from '../../src/connectors/table/table-connectors.ts';
import { emittedEntity, type TestRun, type TestRunOptions } from '../../src/kit/run-connector.ts';

const CSV = csvConnector(new NodeDisk());
const JSON_TYPE = jsonConnector(new NodeDisk());
const HOST = { type: 'host', key: 'id' };

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-table-'));
});
afterAll(() => rm(directory, { recursive: true }));

type Config = Readonly<Record<string, unknown>>;

async function runText(
  name: string,
  content: string | Uint8Array,
  config: Config = { mapping: HOST },
  options: TestRunOptions = {},
): Promise<TestRun> {
  const file = join(directory, name);
  await writeFile(file, content);
  const type = /json|jsonl/.test(name) ? JSON_TYPE : CSV;
  return runConnector(type, { config: { file, ...config }, ...options });
}

const runCsv = (content: string | Uint8Array, config?: Config): Promise<TestRun> =>
  runText('rows.csv', content, config);
const rowsOf = ({ entities }: TestRun) =>
  entities.map(({ type, key, properties }) => [type, key, { ...properties }]);
const reasonOf = ({ report }: TestRun) => report.steps[0]?.reason;

describe('a table in CSV', () => {
  it('is an entity a row, whose columns are properties', async () => {
    const found = await runCsv('id,Operating System,note\r\na,linux,"x, ""y""\r\nz"\r\n\r\nb,,\r\n');

    expect(found.report).toMatchObject({ status: 'complete', warnings: [] });
    expect(rowsOf(found)).toEqual([
      ['host', 'a', { operating_system: 'linux', note: 'x, "y"\r\nz' }],
      ['host', 'b', {}],
    ]);
  });

  it.each([
    ['Excel', 'sep=|\r\nid|note\r\na|x;y;z\r\n'],
    ['Excel, in quotes', '\uFEFF"sep=|"\r\nid|note\r\na|x;y;z\r\n'],
    [
      'Windows PowerShell',
      '#TYPE Microsoft.ActiveDirectory.Management.ADUser\r\n"id","note"\r\n"a","x;y;z"\r\n',
    ],
  ])('may have a line of %s before its header', async (_program, text) => {
    const found = await runCsv(text);
    const late = await runCsv(`${text}b\r\n`);

    expect(rowsOf(found)).toEqual([['host', 'a', { note: 'x;y;z' }]]);
    expect(late.report.warnings).toEqual([expect.stringContaining('line 4: expected 2 cells')]);
  });

  it('has the types, keys, kinds and relationships of its mapping', async () => {
    const mapping = {
      type: 'host',
      class: 'Machine',
      key: ['site', 'id'],
      name: 'label',
      properties: {
        cores: { column: 'CPU', as: 'integer' },
        load: { column: 'load', as: 'number' },
        active: { column: 'on', as: 'boolean' },
        tags: { column: 'tags', as: 'list', separator: '|' },
        site: 'site',
      },
      relationships: [
        { verb: 'OWNED_BY', to: 'user', column: 'owners', separator: ';' },
        { verb: 'CONTAINS', from: 'site', column: 'site' },
        { verb: 'RUNS_ON', to: 'host', column: 'parent', create: false },
      ],
    };
    const text =
      'site;id;label;CPU;load;on;tags;owners;parent\n' +
      'b/1;x;Box;08;-1.5e2;YES;a| b;ann; \n' +
      'b;1/x;;;;no;;"ann; bob;";b/x\n';
    const found = await runCsv(text, { mapping });

    expect(found.report).toMatchObject({ status: 'complete', warnings: [] });
    expect(emittedEntity(found, 'host', 'b%2F1/x')).toMatchObject({
      class: 'Machine',
      displayName: 'Box',
      properties: { cores: 8, load: -150, active: true, tags: ['a', 'b'], site: 'b/1' },
    });
    expect({ ...emittedEntity(found, 'host', 'b/1%2Fx').properties }).toEqual({ active: false, site: 'b' });
    const ends = found.relationships.map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`);
    expect(ends).toEqual([
      'b%2F1/x OWNED_BY ann',
      'b/1 CONTAINS b%2F1/x',
      'b/1%2Fx OWNED_BY ann',
      'b/1%2Fx OWNED_BY bob',
      'b CONTAINS b/1%2Fx',
      'b/1%2Fx RUNS_ON b/x',
    ]);
    // The host `b/x` is only named.
    expect(found.entities.map(({ type, key }) => `${type} ${key}`)).toEqual([
      'host b%2F1/x',
      'host b/1%2Fx',
      'user ann',
      'user bob',
      'site b/1',
      'site b',
    ]);
  });

  it('states an other end once, where a row states it too', async () => {
    const relationships = [{ verb: 'REPORTS_TO', to: 'user', column: 'manager' }];
    const found = await runCsv('id,manager,title\na,b,x\nb,,chief', {
      mapping: { type: 'user', key: 'id', relationships },
    });

    expect(found.report.status).toBe('complete');
    expect(rowsOf(found)).toEqual([
      ['user', 'a', { title: 'x' }],
      ['user', 'b', { title: 'chief' }],
    ]);
  });

  it.each<[string, string | Uint8Array]>([
    ['with a byte order mark', '\uFEFFid,os\na,ü'],
    ['with line breaks of several kinds', 'id,os\r\na,ü\rb,ü\n'],
    ['with tabs', 'id\tos\na\tü'],
    ['with bars, and commas in quotes', '"id"|"os"\n"a"|"ü"'],
    ['with spaces around cells', ' id , os \n a , "ü" '],
    ['with rows of empty cells, as spreadsheets write them', 'id,os,\na,ü,\n,,\n,,'],
  ])('is read %s', async (_what, text) => {
    const found = await runCsv(text);

    expect(found.report).toMatchObject({ status: 'complete', warnings: [] });
    expect({ ...emittedEntity(found, 'host', 'a').properties }).toEqual({ os: 'ü' });
  });

  it('has one type a row, from a column', async () => {
    const found = await runCsv('id,kind\na,Virtual Machine\nb,server', {
      mapping: { type: { column: 'kind' }, key: 'id' },
    });

    expect(found.entities.map(({ type, key, class: name }) => [type, key, name])).toEqual([
      ['virtual_machine', 'a', 'VirtualMachine'],
      ['server', 'b', 'Server'],
    ]);
  });

  it.each<[string, string, string]>([
    ['fewer cells', 'a,1\nb\nc,3', 'line 3: expected 2 cells, as in the header, got 1'],
    ['more cells', 'a,1\nb,1,1\nc,3', 'line 3: expected 2 cells, as in the header, got 3'],
    ['no key', 'a,1\n,1\nc,3', 'line 3: column id: expected a text, got nothing'],
    ['another kind', 'a,1\nb,one\nc,3', 'line 3: column n: expected an integer, got "one"'],
    [
      'another content of one key',
      'a,1\na,2\nc,3',
      'line 3: an earlier row says something else of the same key',
    ],
    [
      'a key too long',
      `a,1\n${'k'.repeat(1_025)},1\nc,3`,
      'line 3: key: expected at most 1024 bytes, got 1025',
    ],
    ['NUL', 'a,1\nb\0,1\nc,3', 'line 3: NUL is not allowed'],
    [
      'an earlier cell of several lines',
      '"a\r\n\r\nx",1\r\nb\r\nc,3',
      'line 5: expected 2 cells, as in the header, got 1',
    ],
  ])('keeps what was there of its types for a row with %s', async (_what, rows, message) => {
    const mapping = { type: 'host', key: 'id', properties: { n: { column: 'n', as: 'integer' } } };
    const found = await runCsv(`id,n\n${rows}`, { mapping });

    expect(found.report).toMatchObject({
      status: 'partial',
      partial_types: ['host'],
      warnings: [`rows: ${message}; the row is left out`],
    });
    expect(found.entities).toHaveLength(2);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['is empty', '', 'expected a header with the names of the columns, got nothing'],
    [
      'lacks a column of the mapping',
      'name,os\na,b',
      'line 1: the mapping has columns that are not there: "id"',
    ],
    ['has a column twice', 'id,os,id\na,b,c', 'line 1: columns 1 and 3 have one name, "id"'],
    ['has no names', ',,\na,b,c', 'line 1: expected the names of the columns, got none'],
    ['has a quote that is not closed', 'id,os\na,"b\nc,d\n', 'line 2: a quote is not closed'],
    [
      'has text after a quote',
      'id,os\na,"b"c\n',
      'line 2: after a closing quote, expected the end of the cell',
    ],
    ['has a quote in a cell', 'id,os\na,b"c\n', 'line 2: a quote within a cell without quotes'],
    ['is Latin 1', Buffer.from('id,os\na,b\nc,\xfc\n', 'latin1'), 'line 3: expected UTF-8'],
    ['is UTF-16', Buffer.from('\uFEFFid,os\na,b', 'utf16le'), 'expected UTF-8, got UTF-16'],
  ])('fails if it %s', async (_what, text, message) => {
    const found = await runCsv(text);

    expect(found.report.status).toBe('failed');
    expect(reasonOf(found)).toContain(message);
  });

  it('fails for a row that is refused if the types are those of rows', async () => {
    const found = await runCsv('id,kind\na,server\nb', { mapping: { type: { column: 'kind' }, key: 'id' } });

    expect(found.report.status).toBe('failed');
    expect(reasonOf(found)).toBe('line 3: expected 2 cells, as in the header, got 1');
  });

  it('reads a file of many rows in pieces, cut anywhere', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => `h${index},"é${index} ""q"""`);
    const found = await runCsv(`id,note\r\n${rows.join('\r\n')}`);

    expect(found.report).toMatchObject({ status: 'complete', entities: 20_000 });
    expect({ ...emittedEntity(found, 'host', 'h19999').properties }).toEqual({ note: 'é19999 "q"' });
  });
});

describe('records in JSON', () => {
  const mapping = {
    type: 'host',
    key: 'id',
    properties: { os: 'system.os', tags: 'tags', rest: 'rest' },
    relationships: [{ verb: 'OWNED_BY', to: 'user', column: 'owners' }],
  };
  const record = {
    id: 7,
    system: { os: 'linux' },
    tags: ['a', 'b'],
    owners: ['ann', 'bob'],
    rest: { deep: 1 },
  };

  it.each<[string, string, string, Config]>([
    ['of a list', 'list.json', JSON.stringify([record]), {}],
    [
      'of a list within',
      'inner.json',
      JSON.stringify({ page: 1, data: { items: [record] } }),
      { records: 'data.items' },
    ],
    ['of lines', 'lines.jsonl', `\n${JSON.stringify(record)}\r\n\n`, {}],
  ])('are read %s', async (_what, name, text, config) => {
    const found = await runText(name, text, { ...config, mapping });

    expect(found.report).toMatchObject({ status: 'complete', warnings: [] });
    expect({ ...emittedEntity(found, 'host', '7').properties }).toEqual({
      os: 'linux',
      tags: ['a', 'b'],
      rest: '{"deep":1}',
    });
    expect(found.relationships.map(({ to }) => to.key)).toEqual(['ann', 'bob']);
  });

  it.each<[string, string, string, string]>([
    [
      'a line is no JSON',
      'bad.jsonl',
      '{"id":"a"}\n{"id":\n{"id":"c"}',
      'line 2: expected a record in JSON, got text that is not JSON at column 7',
    ],
    [
      'a line is cut',
      'cut.jsonl',
      '{"id":"a"}\n{"id":"c"}\n{"id":"',
      'line 3: expected a record in JSON, got text that is not JSON at column 7',
    ],
    [
      'an item is no object',
      'bad.json',
      '[{"id":"a"},3,{"id":"c"}]',
      'record 2: expected an object, got a number',
    ],
    [
      'a comma is left',
      'comma.json',
      '[{"id":"a"},{"id":"c"},]',
      'record 3: expected a record in JSON, got text that is not JSON at column 1',
    ],
    [
      'a key is an object',
      'key.json',
      '[{"id":"a"},{"id":{}},{"id":"c"}]',
      'record 2: column id: expected a text, got an object',
    ],
  ])('are partial if %s', async (_what, name, text, message) => {
    const found = await runText(name, text);

    expect(found.report).toMatchObject({
      status: 'partial',
      warnings: [`rows: ${message}; the row is left out`],
    });
    expect(found.entities.map(({ key }) => key)).toEqual(['a', 'c']);
  });

  it.each<[string, string, string, Config]>([
    [
      'the list is cut',
      '[{"id":"a"},{"id":"c"}',
      'expected a JSON document, got one that ends at byte 22',
      {},
    ],
    ['there is no such list', '{"data":[]}', 'expected a list at items, got none', { records: 'items' }],
    ['there is nothing', '', 'expected records in JSON, got nothing', {}],
    ['the document is spread over lines', '{\n"id": 3\n}', 'line 1: expected a record in JSON', {}],
  ])('fail if %s', async (_what, text, message, config) => {
    const found = await runText('fail.json', text, { mapping: HOST, ...config });

    expect(found.report.status).toBe('failed');
    expect(reasonOf(found)).toContain(message);
  });
});

describe('a table of several files', () => {
  it('is one source, and names the file of a row that is refused', async () => {
    const folder = await mkdtemp(join(directory, 'files-'));
    await writeFile(join(folder, 'a.csv'), 'id,os\na,x\n');
    await writeFile(join(folder, 'b.csv'), 'os,id\ny,b\ny\n');
    await writeFile(join(folder, 'readme.md'), '# no table');
    const found = await runConnector(CSV, { config: { file: folder, mapping: HOST } });

    expect(found.report).toMatchObject({
      status: 'partial',
      ignored: { 'files with other names': 1 },
      warnings: ['rows: b.csv: line 3: expected 2 cells, as in the header, got 1; the row is left out'],
    });
    expect(rowsOf(found)).toEqual([
      ['host', 'a', { os: 'x' }],
      ['host', 'b', { os: 'y' }],
    ]);
  });
});

describe('a table that has not changed', () => {
  it('is not read again, and is read whole after a change', async () => {
    const first = await runText('kept.csv', 'id\na\n');
    const options = { cursors: first.cursors };
    const second = await runText('kept.csv', 'id\na\n', undefined, options);
    const third = await runText('kept.csv', 'id\nb\n', undefined, options);

    expect(Object.keys(first.cursors)).toEqual(['rows']);
    expect(second).toMatchObject({ entities: [], increment: { types: ['host'], removed: [] } });
    expect(second.report.status).toBe('complete');
    expect(third.increment).toBeUndefined();
    expect(third.entities.map(({ key }) => key)).toEqual(['b']);
  });
});

describe('a table over HTTP', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.close();
    server?.closeAllConnections();
  });

  async function serve(answer: (request: IncomingMessage, reply: ServerResponse) => void): Promise<string> {
    server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hosts?page=all`;
  }

  it('is asked for with the headers of the environment, and again only if it has changed', async () => {
    const asked: IncomingMessage['headers'][] = [];
    const url = await serve(({ headers }, reply) => {
      asked.push(headers);
      const isKnown = headers['if-none-match'] === '"v1"';
      reply.writeHead(isKnown ? 304 : 200, { ETag: '"v1"' }).end(isKnown ? undefined : 'id,os\na,x\n');
    });
    const given = {
      config: { url, headers_env: { Authorization: 'CMDB_TOKEN' }, mapping: HOST },
      environment: { CMDB_TOKEN: 'Bearer geheim' },
    };
    const first = await runConnector(CSV, given);
    const second = await runConnector(CSV, { ...given, cursors: first.cursors });

    expect(rowsOf(first)).toEqual([['host', 'a', { os: 'x' }]]);
    expect(second.report.status).toBe('complete');
    expect(second.increment?.types).toEqual(['host']);
    expect(asked.map(({ authorization }) => authorization)).toEqual(['Bearer geheim', 'Bearer geheim']);
  });

  it.each<[string, number, OutgoingHttpHeaders, RegExp]>([
    ['one page of several', 200, { Link: '</hosts?page=2>; rel="next"' }, /one page of several/],
    ['a part', 206, {}, /^http:\/\/127\.0\.0\.1:\d+\/hosts answered 206$/],
    ['cut', 200, { 'Content-Length': 1_000 }, /^the answer of http:\/\/127\.0\.0\.1:\d+\/hosts was cut: /],
  ])(
    'fails for an answer that is %s, which is not the whole list',
    async (_what, status, headers, reason) => {
      const url = await serve((_request, reply) => {
        reply.writeHead(status, headers);
        reply.write('id\na\n');
        // After what has been written.
        reply.socket?.end();
      });
      const found = await runConnector(CSV, { config: { url, mapping: HOST } });

      expect(found.report.status).toBe('failed');
      expect(reasonOf(found)).toMatch(reason);
    },
  );

  it('fails without the secret if the service refuses, redirects, or breaks off', async () => {
    let answers = 0;
    const url = await serve((_request, reply) => {
      const status = [403, 302, 200][answers++] ?? 410;
      if (status !== 200) reply.writeHead(status, { Location: 'http://127.0.0.2/' }).end('geheim');
      else {
        reply.writeHead(200, { 'Content-Length': '1000' });
        reply.write('id\na\n', () => reply.socket?.destroy());
      }
    });
    const reasons: (string | undefined)[] = [];
    for (let count = 0; count < 3; count++) {
      const config = { url, headers_env: { 'X-Key': 'KEY' }, mapping: HOST };
      const found = await runConnector(CSV, { config, environment: { KEY: 'geheim' } });
      reasons.push(reasonOf(found));
      expect(found.report.status).toBe('failed');
    }

    expect(reasons.slice(0, 2)).toEqual([
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/hosts answered 403$/),
      expect.stringMatching(/\/hosts answered 302$/),
    ]);
    expect(JSON.stringify(reasons)).not.toContain('geheim');
  });
});

describe('the configuration of a table', () => {
  it.each<[Config, string]>([
    [{ mapping: HOST }, 'expected either file or url'],
    [{ file: 'a.csv', url: 'http://a/', mapping: HOST }, 'expected either file or url'],
    [{ url: 'ftp://a/', mapping: HOST }, 'url: expected one with http:// or https://'],
    [{ file: 'a.csv', headers_env: { A: 'B' }, mapping: HOST }, 'headers_env: expected a url with it'],
    [{ file: 'a.csv' }, 'mapping'],
    [{ file: 'a.csv', mapping: { ...HOST, kye: 'id' } }, 'kye'],
    [{ file: 'a.csv', mapping: { ...HOST, key: [] } }, 'mapping.key'],
    [{ file: 'a.csv', delimiter: 'ab', mapping: HOST }, 'delimiter: expected one character'],
    [
      { file: 'a.csv', mapping: { ...HOST, relationships: [{ verb: 'A', column: 'c' }] } },
      'expected either to or from',
    ],
  ])('%j is refused', async (config, message) => {
    await expect(runConnector(CSV, { config, environment: { B: 'x' } })).rejects.toThrow(message);
  });
});
