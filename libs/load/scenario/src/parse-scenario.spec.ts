import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/foundation';
import { applyOverrides, parseOverride } from './override.ts';
import { parseScenario } from './parse-scenario.ts';
import { readUrlsOf, redactedText, scenarioDocument, sendUrlsOf } from './scenario-document.ts';
import { formatOfFile, parseScenarioText, type ScenarioFormat } from './scenario-text.ts';

const LEAST = {
  name: 'smoke',
  target: { chain_id: 412_346, rpc_urls: ['http://127.0.0.1:8547'], feed_url: 'ws://127.0.0.1:9642' },
  accounts: { count: 200 },
  load: { stages: [{ duration: '10s', rate: 50 }] },
};

/** The faults of the minimal scenario with these values. */
function faultsWith(...overrides: readonly string[]): readonly unknown[] {
  return faultsOf(applyOverrides(LEAST, overrides.map(parseOverride)));
}

function faultsOf(document: unknown): readonly unknown[] {
  try {
    parseScenario(document);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.code).toBe('SCENARIO_INVALID');
    return error.details?.['faults'] as readonly unknown[];
  }
  return [];
}

describe('parseScenario', () => {
  it('fills in defaults', () => {
    const scenario = parseScenario(LEAST);

    expect(scenario).toMatchObject({
      target: { rpc_timeout_ms: 15_000 },
      accounts: { fund_wei: '1000000000000000000', reclaim: true, inflight_per_account: 1 },
      load: { model: 'open', arrival: 'poisson', max_inflight: 5_000, stages: [{ duration: 10_000 }] },
      mix: [{ kind: 'transfer', weight: 1 }],
      fees: { max_fee_multiplier: 3, gas_limit: 'estimate' },
      correlation: { timeout: 10_000, feed: 'per_edge' },
      oracle: { balance: true, nonce: true, gas: true, on_violation: 'record' },
      edges: { min: 1, fail_on_edge_loss: false },
      thresholds: [],
    });
    expect(Object.isFrozen(scenario.load.stages[0])).toBe(true);
  });

  it.each([
    ['yaml', 'accounts:\n  fund_wei: 9007199254740993', /^scenario:2:13: expected an integer from/],
    ['toml', '[accounts]\nfund_wei = 9007199254740993', /^scenario:2:12: integer/],
    ['json', '{"accounts":{"fund_wei":9007199254740993}}', /^scenario:1:25: expected an integer from/],
  ] as const)('refuses an amount that a number would round, in %s', (format, text, message) => {
    expect(() => parseScenario(parseScenarioText(text, format))).toThrow(message);
  });

  it('reports all faults at once, each with its path', () => {
    const faults = faultsWith('accounts.count=0', 'load.stages.0.rate=-1', 'target.chain_idd=5', 'name=""');

    expect(faults).toEqual([
      'name: expected a name of 1 to 100 characters',
      'target.chain_idd: no such key, did you mean chain_id?',
      'accounts.count: expected a whole number from 1 to 1000000',
      'load.stages.0.rate: expected a number from 0 to 1000000',
    ]);
  });

  it.each([
    ['target.chain_id="412346"', 'target.chain_id: expected a whole number from 1 to 9007199254740991'],
    ['target.rpc_urls=[]', 'target.rpc_urls: expected a list of 1 to 64 items'],
    ['target.rpc_urls.0=ftp://x', 'target.rpc_urls.0: expected a http:// or https:// URL'],
    ['target.rpc_urls.0=http://x:99999', 'target.rpc_urls.0: expected a URL with a valid host and port'],
    [
      'target.headers={"Authorization":"Bearer x"}',
      'target.headers.Authorization: expected Authorization_env with the name of a variable: secrets are not allowed in a scenario',
    ],
    ['target.headers={"x_env":"a b"}', 'target.headers.x_env: expected the name of an environment variable'],
    ['target.headers={"Host":"x"}', 'target.headers.Host: expected another header'],
    [
      'accounts.budget_wei="199999999999999999999"',
      'accounts.budget_wei: expected at least accounts.count × accounts.fund_wei, 200000000000000000000 wei',
    ],
    ['fees.priority_fee_wei=-1', 'fees.priority_fee_wei: expected an amount of wei in digits, in quotes'],
    ['target.feed_url=http://x', 'target.feed_url: expected a ws:// or wss:// URL'],
    ['accounts.count=1e9', 'accounts.count: expected a whole number from 1 to 1000000'],
    ['accounts.fund_wei=1e21', 'accounts.fund_wei: expected an amount of wei in digits, in quotes'],
    ['accounts.seed_env="a b"', 'accounts.seed_env: expected the name of an environment variable'],
    [
      'load.stages.0.duration=10',
      'load.stages.0.duration: expected a duration from 1ms to 24h, such as 500ms, 10s or 5m',
    ],
    ['load.stages.0.rate=0', 'load.stages: expected a rate above 0 in one of them'],
    ['load.stages.0.ramp_to=9', 'load.stages.0: expected either rate or ramp_to'],
    ['load.stages.0.exclude=true', 'load.stages: expected at least one that is not excluded'],
    ['load.users=3', 'load.users: only the closed model has users'],
    ['mix=[]', 'mix: expected a list of 1 to 64 items'],
    ['mix=[{"kind":"transfer","weight":0}]', 'mix: expected a weight above 0'],
    ['mix=[{"kind":"deploy","weight":1,"to":"ring"}]', 'mix.0.to: only transfer and erc20_transfer take it'],
    ['edges.min=201', 'edges.min: expected no more edges than accounts.count'],
    ['edges.ids=[]', 'edges.ids: expected a list of 1 to 10000 items'],
    [
      'edges.ids=["a b"]',
      'edges.ids.0: expected the edge_id of an edge: 1 to 64 letters, digits, dots, dashes or underscores',
    ],
    ['edges.ids=["a","b","a"]', 'edges.ids: expected each edge once, got a again'],
    [
      'edges={"ids":["a","b"],"min":2}',
      'edges.min: not with edges.ids: a run waits for every edge that it names',
    ],
    [
      'thresholds=[{"metric":"feed_latency_p98_ms","max":1}]',
      'thresholds.0.metric: expected a metric: did you mean feed_latency_p90_ms?',
    ],
    ['thresholds=[{"metric":7,"max":1}]', 'thresholds.0.metric: expected a metric of docs/scenario.md'],
    ['thresholds=[{"metric":"unknown"}]', 'thresholds.0: expected min, max, or both'],
    ['thresholds=[{"metric":"unknown","min":2,"max":1}]', 'thresholds.0: expected min not above max'],
    [
      'thresholds=[{"metric":"unknown","max":1,"after":"10s"}]',
      'thresholds.0.after: expected less than the duration of the stages that are not excluded',
    ],
    [
      'load.__proto__={}',
      'load.__proto__: no such key, expected model, stages, users, arrival, max_inflight, random_seed',
    ],
  ])('refuses %s', (override, fault) => {
    expect(faultsWith(override)).toEqual([fault]);
  });

  it('refuses an override with a name twice in an object', () => {
    expect(() => parseOverride('accounts={"count":1,"count":2}')).toThrow(
      'accounts: expected each name once in an object, got "count" twice, again in line 1',
    );
  });

  it('accepts well-known keys on development chains only', () => {
    const message = 'missing: only chains 31337 and 412346 have well-known keys';

    expect(faultsWith('target.chain_id=42161')).toEqual([
      `accounts.seed_env: ${message}`,
      `accounts.funder_key_env: ${message}, and the funder pays for accounts.fund_wei, contracts or setup, or takes accounts.reclaim`,
    ]);
    expect(faultsWith('target.chain_id=42161', 'accounts.seed_env=S', 'accounts.funder_key_env=K')).toEqual(
      [],
    );
  });

  it('requires a funder on other chains only if anything is paid or returned', () => {
    const own = ['target.chain_id=42161', 'accounts.keys_env=K'];
    const token = '{"at":"0x00000000000000000000000000000000000000aa","abi":["function mint()"]}';
    const missing = [expect.stringContaining('accounts.funder_key_env: missing')];

    expect(faultsWith(...own)).toEqual([]);
    expect(faultsWith(...own, `contracts={"token":${token}}`)).toEqual([]);
    expect(faultsWith(...own, 'accounts.fund_wei="1"', 'accounts.reclaim=false')).toEqual(missing);
    expect(faultsWith(...own, 'accounts.reclaim=true')).toEqual(missing);
    expect(faultsWith(...own, 'contracts={"token":{"bytecode":"0x00"}}')).toEqual(missing);
    const setup = 'setup=[{"contract":"token","function":"mint"}]';
    expect(faultsWith(...own, `contracts={"token":${token}}`, setup)).toEqual(missing);
    expect(faultsWith(...own, 'accounts.reclaim=true', 'accounts.funder_key_env=F')).toEqual([]);
  });

  it('requires no feed if it is not read, and then rejects its latencies', () => {
    const withoutFeed = { ...LEAST, target: { chain_id: 412_346, rpc_urls: ['http://x'] } };
    const off = { ...withoutFeed, correlation: { feed: 'off' } };

    expect(faultsOf(withoutFeed)).toEqual([
      'target.feed_url: missing, expected a ws:// or wss:// URL, or correlation.feed off',
    ]);
    expect(faultsOf(off)).toEqual([]);
    expect(faultsOf({ ...off, thresholds: [{ metric: 'feed_latency_p99_ms', max: 1 }] })).toEqual([
      'thresholds.0.metric: not available with correlation.feed off',
    ]);
  });

  it('accepts separate URLs for sending and reading, and defaults to the same', () => {
    const { chain_id, feed_url } = LEAST.target;
    const target = { chain_id, feed_url };
    const url = 'http://127.0.0.1:1';
    const urlsOf = (more: object): readonly (readonly string[])[] => {
      const scenario = parseScenario({ ...LEAST, target: { ...target, ...more } });
      return [sendUrlsOf(scenario.target), readUrlsOf(scenario.target)];
    };

    expect(urlsOf({ rpc_urls: [url] })).toEqual([[url], [url]]);
    expect(urlsOf({ rpc_urls: [url], send_urls: ['http://s'] })).toEqual([['http://s'], [url]]);
    expect(urlsOf({ read_urls: ['http://r'], send_urls: ['http://s'] })).toEqual([
      ['http://s'],
      ['http://r'],
    ]);
    expect(faultsOf({ ...LEAST, target: { ...target, send_urls: [url] } })).toEqual([
      'target.rpc_urls: missing, expected a list of URLs, or both send_urls and read_urls',
    ]);
  });

  it('accepts anchors, aliases and merge keys of YAML', () => {
    const text = `
name: aliases
target: { chain_id: 412346, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:1' }
accounts: { count: 10 }
load:
  stages:
    - &steady { duration: 10s, rate: 50 }
    - *steady
    - { <<: *steady, rate: 7 }
`;
    const document = applyOverrides(parseScenarioText(text, 'yaml'), [parseOverride('load.stages.0.rate=9')]);

    expect(parseScenario(document).load.stages.map(({ rate }) => rate)).toEqual([9, 50, 7]);
  });

  it('requires users in the closed model, and rejects rates', () => {
    expect(faultsWith('load.model=closed', 'load.stages=[{"duration":"1s"}]', 'load.users=200')).toEqual([]);
    expect(faultsWith('load.model=closed', 'load.users=201')).toEqual([
      'load.users: expected at most accounts.count × accounts.inflight_per_account',
      'load.stages.0: stages of the closed model have no rate',
    ]);
  });

  it.each([null, 'text', 7, [], [LEAST]])('refuses %j as a whole', (document) => {
    expect(faultsOf(document)).toEqual(['expected a table']);
  });
});

describe('scenarioDocument', () => {
  it('omits the secrets of URLs', () => {
    const urls = {
      rpc_urls: ['https://mainnet.infura.io/v3/9aa3d95b3bc440fa88ea12eaa4456161', 'http://u:passw0rd@x:1'],
      send_urls: ['https://x.example/?key=s3cret'],
      read_urls: ['http://127.0.0.1:1'],
      feed_url: 'wss://feed.example/0123456789abcdef0123',
    };
    const scenario = parseScenario({ ...LEAST, target: { ...LEAST.target, ...urls } });
    const author = JSON.stringify({ target: urls, comment: 'passw0rd' });

    expect(scenarioDocument(scenario)['target']).toMatchObject({
      rpc_urls: ['https://mainnet.infura.io/v3/***', 'http://x:1/'],
      send_urls: ['https://x.example/?key=***'],
      read_urls: ['http://127.0.0.1:1'],
      feed_url: 'wss://feed.example/***',
    });
    expect(redactedText(author, scenario.target)).not.toMatch(/9aa3|passw0rd|s3cret|0123456789/);
    expect(parseScenario(scenarioDocument(scenario)).target.chain_id).toBe(412_346);
  });

  it('parses to the same scenario', () => {
    const overrides = [
      'load.stages.0.duration=90s',
      'load.stages.1={"duration":"1500ms","ramp_to":3}',
      'thresholds=[{"metric":"not_sent","max":0,"after":"1m"}]',
    ];
    const scenario = parseScenario(applyOverrides(LEAST, overrides.map(parseOverride)));

    expect(parseScenario(scenarioDocument(scenario))).toEqual(scenario);
    expect(scenarioDocument(scenario)).toMatchObject({
      load: { stages: [{ duration: '90s' }, { duration: '1500ms' }] },
      thresholds: [{ after: '1m' }],
    });
  });
});

describe('parseScenarioText', () => {
  it.each<[ScenarioFormat, string]>([
    ['yaml', 'name: x\nedges: { min: 2 }\n'],
    ['toml', 'name = "x"\n[edges]\nmin = 2\n'],
    ['json', '{"name": "x", "edges": {"min": 2}}'],
    ['json', '{\n\t"name": "\\u0078",\n\t"edges": {\n\t\t"min": 2e0\n\t}\n}\n'],
  ])('reads %s', (format, text) => {
    expect(parseScenarioText(text, format)).toEqual({ name: 'x', edges: { min: 2 } });
  });

  it.each<[ScenarioFormat, string, string]>([
    ['yaml', 'name: [', 'smoke:1:8'],
    ['yaml', 'b: *x', 'smoke:1:4'],
    ['toml', 'name = \n', 'smoke:1:8'],
    ['json', '{', 'smoke: expected JSON'],
    ['json', 'name: x', 'smoke: expected JSON'],
    ['json', '{"accounts": {"count": 4},\n"accounts": {}}', 'smoke:2:2: duplicated mapping key'],
  ])('refuses malformed %s with its place', (format, text, message) => {
    expect(() => parseScenarioText(text, format, 'smoke')).toThrow(message);
  });

  it('determines the format by the file name', () => {
    expect(['a.yaml', 'b.YML', 'c.toml', 'd.json', 'e.txt', 'f'].map(formatOfFile)).toEqual([
      'yaml',
      'yaml',
      'toml',
      'json',
      undefined,
      undefined,
    ]);
  });
});

describe('overrides', () => {
  it('replace, add, and extend a list', () => {
    const overrides = [
      'load.stages.0.rate=500',
      'edges.min=2',
      'load.stages.1={"duration":"1s"}',
      'name=a=b',
    ];

    expect(applyOverrides(LEAST, overrides.map(parseOverride))).toMatchObject({
      name: 'a=b',
      edges: { min: 2 },
      load: { stages: [{ duration: '10s', rate: 500 }, { duration: '1s' }] },
    });
    expect(LEAST.load.stages).toEqual([{ duration: '10s', rate: 50 }]);
  });

  it.each(['', 'x', '=1', 'a..b=1', '.a=1'])('are refused when they read %j', (text) => {
    expect(() => parseOverride(text)).toThrow('expected path.to.value=something');
  });

  it.each(['load.stages.2.rate=1', 'load.stages.x=1', 'name.x=1'])(
    'are refused where there is no %s',
    (text) => {
      expect(() => applyOverrides(LEAST, [parseOverride(text)])).toThrow('expected a');
    },
  );
});
