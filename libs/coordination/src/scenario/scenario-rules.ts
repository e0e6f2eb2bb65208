import type { DocumentFault, DocumentPath } from '#config';
import { needsFeed } from '../threshold/threshold-metric.ts';
import type { Scenario, ScenarioStage, ScenarioThreshold } from './scenario.ts';

/** Chains of development nodes, where well-known keys may be used. */
const DEVELOPMENT_CHAINS: readonly number[] = [31_337, 412_346];

export function isDevelopmentChain(chainId: number): boolean {
  return DEVELOPMENT_CHAINS.includes(chainId);
}

/** Something that no single value shows. */
interface Rule {
  readonly holds: boolean;
  readonly path: DocumentPath;
  readonly message: string;
}

/** What is wrong with a scenario whose values are all well by themselves. */
export function scenarioFaults(scenario: Scenario): readonly DocumentFault[] {
  const rules = [
    ...targetRules(scenario),
    ...accountRules(scenario),
    ...loadRules(scenario),
    ...scenario.load.stages.flatMap((stage, i) => stageRules(stage, scenario.load.model, i)),
    ...mixRules(scenario),
    ...scenario.thresholds.flatMap((threshold, i) => thresholdRules(threshold, scenario, i)),
  ];
  return rules.filter(({ holds }) => !holds).map(({ path, message }) => ({ path, message }));
}

function targetRules({ target, correlation }: Scenario): readonly Rule[] {
  const urls = target.rpc_urls.map((url, i) => urlRule(url, ['target', 'rpc_urls', i]));
  if (target.feed_url !== undefined) return [...urls, urlRule(target.feed_url, ['target', 'feed_url'])];
  return [
    ...urls,
    {
      holds: correlation.feed === 'off',
      path: ['target', 'feed_url'],
      message: 'missing, expected a ws:// or wss:// URL, or correlation.feed off',
    },
  ];
}

/** Credentials in a URL would stand in logs and reports. */
function urlRule(url: string, path: DocumentPath): Rule {
  const parsed = URL.parse(url);
  if (parsed === null)
    return { holds: false, path, message: 'expected a URL with a host and port that can be' };
  const holds = parsed.username === '' && parsed.password === '';
  return { holds, path, message: 'expected a URL without user and password' };
}

function accountRules({ target, accounts, edges, load }: Scenario): readonly Rule[] {
  const isDevelopment = isDevelopmentChain(target.chain_id);
  const message = `missing: only chains ${DEVELOPMENT_CHAINS.join(' and ')} have well-known keys`;
  return [
    { holds: isDevelopment || accounts.seed_env !== undefined, path: ['accounts', 'seed_env'], message },
    {
      holds: isDevelopment || accounts.funder_key_env !== undefined,
      path: ['accounts', 'funder_key_env'],
      message,
    },
    {
      holds: edges.min <= accounts.count,
      path: ['edges', 'min'],
      message: 'expected no more edges than accounts.count',
    },
    {
      holds: edges.min <= load.max_inflight,
      path: ['load', 'max_inflight'],
      message: 'expected at least one for each edge of edges.min',
    },
  ];
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
      holds: !isClosed || users >= edges.min,
      path: usersPath,
      message: 'expected one for each edge at least',
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
      message: 'expected one at least that is not excluded',
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

/** Which kinds take which option. */
const KINDS_WITH = {
  to: ['transfer', 'erc20_transfer'],
  value_wei: ['transfer', 'erc20_transfer'],
  bytes: ['calldata', 'deploy'],
} as const;

function mixRules({ mix }: Scenario): readonly Rule[] {
  const total = mix.reduce((sum, { weight }) => sum + weight, 0);
  const options = mix.flatMap((entry, i) =>
    (['to', 'value_wei', 'bytes'] as const).map((name) => ({
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
      message: 'it cannot be known with correlation.feed off',
    },
    {
      holds: after < measuredMs(scenario.load.stages),
      path: [...path, 'after'],
      message: 'expected less than the stages that are not excluded take',
    },
  ];
}

function measuredMs(stages: readonly ScenarioStage[]): number {
  return stages.reduce((sum, { duration, exclude }) => sum + (exclude ? 0 : duration), 0);
}
