import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyOverrides, parseOverride } from '#load/scenario';
import { Program } from './support/programs.ts';
import { TestHive } from './support/test-hive.ts';
import { OPEN_SCENARIO } from './support/test-scenario.ts';

const JSON_TYPE = 'application/json';
const YAML = 'application/yaml';
const TOML = 'application/toml';

/** A YAML alias bomb: each of twelve lines contains nine aliases of the line before. */
const BOMB = [
  'a: &a [x, x]',
  ...Array.from(
    'bcdefghijklm',
    (name, i) => `${name}: &${name} [${`*${'abcdefghijkl'.charAt(i)}, `.repeat(9)}]`,
  ),
].join('\n');

describe('a hostile scenario', () => {
  let hive: TestHive;

  beforeAll(async () => {
    hive = await TestHive.start();
  });
  afterAll(() => hive.remove());

  it.each([
    ['load.stages.0.rate=-1', 'load.stages.0.rate: expected a number from 0'],
    ['load.stages.0.rate=1e300', 'load.stages.0.rate: expected a number from 0'],
    ['load.stages.0.duration=-1s', 'load.stages.0.duration: expected a duration'],
    ['load.stages.0.duration=999999999999999999999999h', 'load.stages.0.duration: expected a duration'],
    ['load.stages=null', 'load.stages: expected a list'],
    ['load.max_inflight=0', 'load.max_inflight: expected a whole number from 1'],
    ['load.random_seed=4294967296', 'load.random_seed: expected a whole number'],
    ['accounts.count=0', 'accounts.count: expected a whole number from 1'],
    ['accounts.count=9007199254740993', 'accounts.count: expected a whole number'],
    ['accounts.fund_wei="-1"', 'accounts.fund_wei: expected an amount of wei'],
    [`accounts.fund_wei="${2n ** 256n}"`, 'accounts.fund_wei: expected an amount of wei'],
    ['target.rpc_urls=[]', 'target.rpc_urls: expected a list of 1 to 64 items'],
    ['target.rpc_urls=["ftp://x"]', 'target.rpc_urls.0: expected a http:// or https:// URL'],
    ['target.rpc_urls=["http://["]', 'target.rpc_urls.0: expected a URL with a valid host and port'],
    ['target.rpc_urls=["http://x:99999"]', 'target.rpc_urls.0: expected a URL with a valid host and port'],
    ['target.rpc_urls=["javascript:alert(1)"]', 'target.rpc_urls.0: expected a http:// or https:// URL'],
    ['target.feed_url=http://x', 'target.feed_url: expected a ws:// or wss:// URL'],
    ['mix=[{"kind":"transfer","weight":0}]', 'mix: expected a weight above 0'],
    ['mix=[{"kind":"transfer","weight":-1}]', 'mix.0.weight: expected a number from 0'],
    ['mix=[{"kind":"nope","weight":1}]', 'mix.0.kind: expected'],
    ['mix=[{"kind":"calldata","weight":1,"bytes":1000000000}]', 'mix.0.bytes: expected a whole number'],
    ['edges.min=1e9', 'edges.min: expected a whole number'],
    ['thresholds=[{"metric":"__proto__","max":1}]', 'thresholds.0.metric: expected a metric'],
    ['name={"toString":1}', 'name: expected a name'],
    ['constructor=1', 'constructor: no such key'],
    ['load.stages.0.__proto__={"rate":5}', 'load.stages.0.__proto__: no such key'],
  ])('with %s returns 400 with the path', async (override, fault) => {
    const body = applyOverrides(OPEN_SCENARIO, [parseOverride(override)]);

    const answer = await hive.json(400, 'POST', '/runs', body);

    expect(answer['error']).toBe('SCENARIO_INVALID');
    expect((answer['details'] as { faults: string[] }).faults).toContainEqual(expect.stringContaining(fault));
  });

  const deep = (open: string, close: string, depth: number): string =>
    open.repeat(depth) + close.repeat(depth);
  const whole = JSON.stringify(OPEN_SCENARIO);

  it.each([
    ['infinity in JSON', JSON_TYPE, whole.replace('"rate":100', '"rate":1e400'), 'load.stages.0.rate'],
    ['NaN in JSON', JSON_TYPE, whole.replace('"rate":100', '"rate":NaN'), 'malformed'],
    ['a prototype', JSON_TYPE, `${whole.slice(0, -1)},"__proto__":{"name":"x"}}`, '__proto__: no such key'],
    ['100,000 brackets', JSON_TYPE, deep('[', ']', 100_000), 'nested deeper than'],
    ['50,000 tables', JSON_TYPE, `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, 'nested deeper than'],
    ['bytes that are no UTF-8', JSON_TYPE, Buffer.from([0x22, 0xff, 0x22]), 'UTF-8'],
    ['a YAML bomb', YAML, BOMB, 'aliases unfold to more than 10000 values'],
    ['5,000 brackets in YAML', YAML, deep('[', ']', 5_000), 'body:1:32: nesting'],
    ['code in YAML', YAML, '!!js/function "x"', 'body:1:1: '],
    ['two documents', YAML, 'a: 1\n---\nb: 2', 'body:3:1: expected one document'],
    ['.nan in YAML', YAML, 'name: x\naccounts: { count: .nan }', 'accounts.count: expected a whole number'],
    ['.inf in YAML', YAML, 'name: x\nload: { stages: [{ duration: 1s, rate: .inf }] }', 'load.stages.0.rate'],
    ['a prototype in YAML', YAML, '__proto__: { name: x }', '__proto__: no such key'],
    ['nan in TOML', TOML, 'name = "x"\n[accounts]\ncount = nan', 'accounts.count: expected a whole number'],
    ['a large number in TOML', TOML, '[accounts]\ncount = 9223372036854775807', 'body:2:9: integer value'],
    ['5,000 brackets in TOML', TOML, `a = ${deep('[', ']', 5_000)}`, 'body:1:'],
    ['a prototype in TOML', TOML, '[__proto__]\nname = "x"', '__proto__: no such key'],
    ['nothing in YAML', YAML, '# nothing', 'expected a table'],
    ['a long text', YAML, `name: ${'x'.repeat(1_100_000)}`, 'expected at most 1048576 bytes'],
  ])('with %s returns 400 with the position', async (_what, type, body, fault) => {
    const reply = await fetch(`${hive.url}/runs`, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body,
    });

    expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining(fault)]);
  });

  it.each(['text/plain', 'text/yaml', 'application/x-www-form-urlencoded', 'application/json5'])(
    'as %s returns 415 with the supported types',
    async (type) => {
      expect(await hive.json(415, 'POST', '/runs', whole, { 'Content-Type': type })).toMatchObject({
        error: 'UNSUPPORTED_MEDIA_TYPE',
        message: 'Content-Type: expected application/json or application/yaml or application/toml',
      });
    },
  );

  it('creates no run, and does not pollute Object.prototype', async () => {
    expect(await hive.json(200, 'GET', '/runs')).toEqual({ runs: [] });
    expect(({} as Record<string, unknown>)['name']).toBeUndefined();
  });
});

describe('a hostile file for plexus-hive run', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plexus-hostile-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    ['bomb.yaml', BOMB, /bomb\.yaml:\d+:\d+: aliases unfold to more than 10000 values/],
    ['broken.toml', 'name = \n', /broken\.toml:1:8: /],
    ['broken.json', '{"name": NaN}', /broken\.json: expected JSON/],
    ['deep.json', '['.repeat(200_000), /deep\.json: expected JSON/],
    ['key.yaml', 'nmae: x', /^ {2}nmae: no such key, did you mean name\?$/m],
    ['proto.json', '{"__proto__": {"name": "x"}}', /^ {2}__proto__: no such key/m],
    ['empty.yaml', '', /expected a table/],
  ])('%s exits with 2 and the position, without a stack trace', async (name, text, message) => {
    await writeFile(join(folder, name), text);

    const run = new Program('hive', ['run', join(folder, name), '--url', 'http://127.0.0.1:1']);

    expect([await run.ended, run.text]).toEqual([2, expect.stringMatching(message)]);
    expect(run.text).not.toMatch(/^ {4}at /m);
  });
});
