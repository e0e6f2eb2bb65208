import { checkDocument, type DocumentFault, type DocumentPath, faultText } from '#platform/config';
import { DomainError } from '#platform/foundation';
import { contractFaults } from './contract-rules.ts';
import {
  edgesNeeded,
  hasOwnAccounts,
  needsFunder,
  type Scenario,
  SCENARIO_SHAPE,
  type ScenarioStage,
  type ScenarioThreshold,
  withAccountDefaults,
  type WrittenScenario,
} from './scenario.ts';
import { sendingFaults } from './sending-rules.ts';
import { needsFeed } from './threshold-metric.ts';
import { webhookRules } from './webhook-shape.ts';

/** Reads a parsed document, frozen. Throws SCENARIO_INVALID with all faults, each with its path. */
export function parseScenario(document: unknown): Scenario {
  const { scenario, faults } = readScenario(document);
  if (scenario !== undefined) return scenario;
  const lines = faults.map(faultText);
  throw new DomainError('SCENARIO_INVALID', `scenario: ${lines.join('; ')}`, { details: { faults: lines } });
}

/** The scenario of a parsed document, frozen; undefined with all faults. */
export function readScenario(document: unknown): {
  readonly scenario: Scenario | undefined;
  readonly faults: readonly DocumentFault[];
} {
  const { result, faults: shapeFaults } = checkDocument(SCENARIO_SHAPE, document);
  if (result === undefined) return { scenario: undefined, faults: shapeFaults };
  const scenario = withAccountDefaults(result);
  const faults = [...ownAccountFaults(result), ...scenarioFaults(scenario)];
  return { scenario: faults.length === 0 ? scenario : undefined, faults };
}

/** Chains of development nodes, on which well-known keys are allowed. */
const DEVELOPMENT_CHAINS: readonly number[] = [31_337, 412_346];

export function isDevelopmentChain(chainId: number): boolean {
  return DEVELOPMENT_CHAINS.includes(chainId);
}

/** A rule that spans several values. */
interface Rule {
  readonly holds: boolean;
  readonly path: DocumentPath;
  readonly message: string;
}

/** The errors of a scenario whose values are individually valid. */
function scenarioFaults(scenario: Scenario): readonly DocumentFault[] {
  const rules = [
    ...targetRules(scenario),
    ...accountRules(scenario),
    ...edgeRules(scenario),
    ...loadRules(scenario),
    ...scenario.load.stages.flatMap((stage, i) => stageRules(stage, scenario.load.model, i)),
    ...mixRules(scenario),
    ...webhookRules(scenario.webhook),
    ...scenario.thresholds.flatMap((threshold, i) => thresholdRules(threshold, scenario, i)),
  ];
  const faults = rules.filter(({ holds }) => !holds).map(({ path, message }) => ({ path, message }));
  const isDevelopment = isDevelopmentChain(scenario.target.chain_id);
  return [...faults, ...contractFaults(scenario), ...sendingFaults(scenario, isDevelopment)];
}

const KEY_SOURCES = ['seed_env', 'mnemonic_env', 'keys_env'] as const;

/** The ether on own accounts may be the user's, or the funder's: what happens to it must be stated. */
function ownAccountFaults({ accounts }: WrittenScenario): readonly DocumentFault[] {
  const faults: DocumentFault[] = [];
  if (KEY_SOURCES.filter((name) => accounts[name] !== undefined).length > 1) {
    faults.push({ path: ['accounts'], message: 'expected one of seed_env, mnemonic_env and keys_env' });
  }
  const { fund_wei: fundWei = '0', reclaim } = accounts;
  if (hasOwnAccounts(accounts) && fundWei !== '0' && reclaim === undefined) {
    const message =
      'missing: the funder pays own accounts. true sends all that remains on them to the funder, their own ether ' +
      'too; false leaves it';
    faults.push({ path: ['accounts', 'reclaim'], message });
  }
  return faults;
}

const URL_LISTS = ['rpc_urls', 'send_urls', 'read_urls'] as const;

function targetRules({ target, correlation }: Scenario): readonly Rule[] {
  const { rpc_urls: both, send_urls: send, read_urls: read, feed_url: feed } = target;
  const urls = URL_LISTS.flatMap((name) =>
    (target[name] ?? []).map((url, i) => urlRule(url, ['target', name, i])),
  );
  return [
    ...urls,
    ...headerRules(target),
    ...(feed === undefined ? [] : [urlRule(feed, ['target', 'feed_url'])]),
    {
      holds: both !== undefined || (send !== undefined && read !== undefined),
      path: ['target', 'rpc_urls'],
      message: 'missing, expected a list of URLs, or both send_urls and read_urls',
    },
    {
      holds: feed !== undefined || correlation.feed === 'off',
      path: ['target', 'feed_url'],
      message: 'missing, expected a ws:// or wss:// URL, or correlation.feed off',
    },
  ];
}

function urlRule(url: string, path: DocumentPath): Rule {
  return { holds: URL.canParse(url), path, message: 'expected a URL with a valid host and port' };
}

/** Headers of the connection itself. */
const OWN_HEADERS =
  /^(?:host|connection|content-(?:length|type|encoding)|transfer-encoding|upgrade|te|trailer|expect|keep-alive)$/i;
const SECRET_HEADERS = /authorization|cookie|token|secret|password|api-?key|(?:^|-)key$/i;

/** Secrets must come from variables: a scenario is shown in reports. */
function headerRules({ headers }: Scenario['target']): readonly Rule[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const path = ['target', 'headers', name];
    const isVariable = name.endsWith('_env');
    const header = isVariable ? name.slice(0, -'_env'.length) : name;
    return [
      { holds: header !== '' && !OWN_HEADERS.test(header), path, message: 'expected another header' },
      {
        holds: isVariable || !SECRET_HEADERS.test(header),
        path,
        message: `expected ${header}_env with the name of a variable: secrets are not allowed in a scenario`,
      },
      {
        holds: !isVariable || /^[A-Za-z_]\w{0,127}$/.test(value),
        path,
        message: 'expected the name of an environment variable',
      },
    ];
  });
}

function accountRules(scenario: Scenario): readonly Rule[] {
  const { target, accounts } = scenario;
  const isDevelopment = isDevelopmentChain(target.chain_id);
  const message = `missing: only chains ${DEVELOPMENT_CHAINS.join(' and ')} have well-known keys`;
  return [
    {
      holds: isDevelopment || hasOwnAccounts(accounts) || accounts.seed_env !== undefined,
      path: ['accounts', 'seed_env'],
      message,
    },
    {
      holds: isDevelopment || accounts.funder_key_env !== undefined || !needsFunder(scenario),
      path: ['accounts', 'funder_key_env'],
      message: `${message}, and the funder pays for accounts.fund_wei, contracts or setup, or takes accounts.reclaim`,
    },
    {
      holds: accounts.budget_wei === undefined || fundingWei(accounts) <= BigInt(accounts.budget_wei),
      path: ['accounts', 'budget_wei'],
      message: `expected at least accounts.count × accounts.fund_wei, ${fundingWei(accounts)} wei`,
    },
  ];
}

function edgeRules({ accounts, edges, load }: Scenario): readonly Rule[] {
  const { ids, min } = edges;
  const needed = edgesNeeded(edges);
  const twice = ids?.find((id, at) => ids.indexOf(id) !== at);
  return [
    {
      holds: ids === undefined || min === 1,
      path: ['edges', 'min'],
      message: 'not with edges.ids: a run waits for every edge that it names',
    },
    {
      holds: twice === undefined,
      path: ['edges', 'ids'],
      message: `expected each edge once, got ${twice ?? ''} again`,
    },
    {
      holds: needed <= accounts.count,
      path: ['edges', ids === undefined ? 'min' : 'ids'],
      message: 'expected no more edges than accounts.count',
    },
    {
      holds: needed <= load.max_inflight,
      path: ['load', 'max_inflight'],
      message: `expected at least one for each edge of edges.${ids === undefined ? 'min' : 'ids'}`,
    },
  ];
}

/** The amount needed to fund all accounts, without fees. */
export function fundingWei({ count, fund_wei: fundWei }: Scenario['accounts']): bigint {
  return BigInt(count) * BigInt(fundWei);
}

function loadRules({ load, accounts, edges }: Scenario): readonly Rule[] {
  const stagesPath = ['load', 'stages'];
  const usersPath = ['load', 'users'];
  const isClosed = load.model === 'closed';
  const users = load.users ?? 0;
  return [
    {
      holds: isClosed || load.users === undefined,
      path: usersPath,
      message: 'only the closed model has users',
    },
    {
      holds: !isClosed || users >= edgesNeeded(edges),
      path: usersPath,
      message: 'expected at least one for each edge',
    },
    {
      holds: users <= accounts.count * accounts.inflight_per_account,
      path: usersPath,
      message: 'expected at most accounts.count × accounts.inflight_per_account',
    },
    {
      holds: isClosed || load.stages.some(({ rate = 0, ramp_to = 0 }) => rate + ramp_to > 0),
      path: stagesPath,
      message: 'expected a rate above 0 in one of them',
    },
    {
      holds: load.stages.some(({ exclude }) => !exclude),
      path: stagesPath,
      message: 'expected at least one that is not excluded',
    },
  ];
}

function stageRules({ rate, ramp_to }: ScenarioStage, model: string, i: number): readonly Rule[] {
  const given = Number(rate !== undefined) + Number(ramp_to !== undefined);
  const path = ['load', 'stages', i];
  if (model === 'closed') {
    return [{ holds: given === 0, path, message: 'stages of the closed model have no rate' }];
  }
  return [{ holds: given === 1, path, message: 'expected either rate or ramp_to' }];
}

/** The kinds that accept each option. */
const KINDS_WITH = {
  to: ['transfer', 'erc20_transfer'],
  value_wei: ['transfer', 'erc20_transfer', 'call'],
  bytes: ['calldata', 'deploy'],
  contract: ['call'],
  function: ['call'],
  args: ['call'],
  gas_limit: ['call'],
} as const;
const LIMITED_KEYS = Object.keys(KINDS_WITH) as readonly (keyof typeof KINDS_WITH)[];

function mixRules({ mix }: Scenario): readonly Rule[] {
  const total = mix.reduce((sum, { weight }) => sum + weight, 0);
  const options = mix.flatMap((entry, i) =>
    LIMITED_KEYS.map((name) => ({
      holds: entry[name] === undefined || KINDS_WITH[name].some((kind) => kind === entry.kind),
      path: ['mix', i, name],
      message: `only ${KINDS_WITH[name].join(' and ')} take it`,
    })),
  );
  return [...options, { holds: total > 0, path: ['mix'], message: 'expected a weight above 0' }];
}

function thresholdRules(threshold: ScenarioThreshold, scenario: Scenario, i: number): readonly Rule[] {
  const { metric, min, max, after } = threshold;
  const path = ['thresholds', i];
  return [
    { holds: min !== undefined || max !== undefined, path, message: 'expected min, max, or both' },
    { holds: (min ?? -Infinity) <= (max ?? Infinity), path, message: 'expected min not above max' },
    {
      holds: scenario.correlation.feed !== 'off' || !needsFeed(metric),
      path: [...path, 'metric'],
      message: 'not available with correlation.feed off',
    },
    {
      holds: after < measuredMs(scenario.load.stages),
      path: [...path, 'after'],
      message: 'expected less than the duration of the stages that are not excluded',
    },
  ];
}

function measuredMs(stages: readonly ScenarioStage[]): number {
  return stages.reduce((sum, { duration, exclude }) => sum + (exclude ? 0 : duration), 0);
}
