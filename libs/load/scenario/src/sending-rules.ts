/** Faults of types and ways to send that span several keys. */
import type { DocumentFault, DocumentPath } from '#platform/config';
import type { Scenario } from './scenario.ts';
import type { SEND_WAYS } from './sending-shape.ts';

type MixEntry = Scenario['mix'][number];

export function sendingFaults(scenario: Scenario, isDevelopment: boolean): readonly DocumentFault[] {
  const faults = scenario.mix.flatMap((entry, at) => entryFaults(entry, scenario, ['mix', at]));
  const { timeboost } = scenario;
  const lacksKey = timeboost !== undefined && timeboost.controller_key_env === undefined && !isDevelopment;
  const path = ['timeboost', 'controller_key_env'];
  const message = 'missing: only development chains have a well-known controller';
  return lacksKey ? [...faults, { path, message }] : faults;
}

function entryFaults(entry: MixEntry, scenario: Scenario, path: DocumentPath): readonly DocumentFault[] {
  const rules = [...typeRules(entry), ...wayRules(entry, scenario)];
  return [
    ...rules.flatMap(({ holds, key, message }) => (holds ? [] : [{ path: [...path, key], message }])),
    ...contractRules(entry, scenario, path),
  ];
}

interface Rule {
  readonly holds: boolean;
  readonly key: keyof MixEntry;
  readonly message: string;
}

function typeRules({
  type = 2,
  kind,
  access_list = [],
  delegate_to,
  authorizations,
}: MixEntry): readonly Rule[] {
  return [
    {
      holds: type !== 0 || access_list.length === 0,
      key: 'access_list',
      message: 'a transaction of type 0 has none',
    },
    {
      holds: (type === 4) === (delegate_to !== undefined),
      key: 'delegate_to',
      message: type === 4 ? 'missing: type 4 needs it' : 'only type 4 takes it',
    },
    {
      holds: type === 4 || authorizations === undefined,
      key: 'authorizations',
      message: 'only type 4 takes it',
    },
    {
      holds: type !== 4 || kind !== 'deploy',
      key: 'type',
      message: 'a transaction of type 4 creates no contract',
    },
  ];
}

const CONDITIONAL_WAYS: readonly (typeof SEND_WAYS)[number][] = ['conditional', 'express_lane'];

function wayRules(
  { kind, send = 'raw', expect, conditions, sync_timeout_ms: syncTimeout }: MixEntry,
  { timeboost }: Scenario,
): readonly Rule[] {
  return [
    {
      holds: send === 'sync' || syncTimeout === undefined,
      key: 'sync_timeout_ms',
      message: 'only sync takes it',
    },
    {
      holds: conditions === undefined || CONDITIONAL_WAYS.includes(send),
      key: 'conditions',
      message: 'only conditional and express_lane take it',
    },
    {
      holds: send !== 'conditional' || conditions !== undefined,
      key: 'conditions',
      message: 'missing: conditional needs it',
    },
    {
      holds: send !== 'express_lane' || timeboost !== undefined,
      key: 'send',
      message: 'the express lane needs `timeboost`',
    },
    {
      holds: send !== 'express_lane' || kind !== 'invalid_nonce',
      key: 'send',
      message: 'the express lane does not answer whether a nonce is valid',
    },
    {
      holds: expect !== 'condition_failed' || conditions !== undefined,
      key: 'expect',
      message: 'only an entry with conditions fails by them',
    },
    {
      holds: expect !== 'sync_timeout' || send === 'sync',
      key: 'expect',
      message: 'only sync has a time-out',
    },
  ];
}

/** A name stands for an address, which begins with 0x. */
export function isContractName(text: string): boolean {
  return !text.startsWith('0x');
}

function contractRules(
  { access_list = [], delegate_to }: MixEntry,
  { contracts }: Scenario,
  path: DocumentPath,
): readonly DocumentFault[] {
  const named = [
    ...access_list.map(({ address }, at) => ({
      name: address,
      path: [...path, 'access_list', at, 'address'],
    })),
    ...(delegate_to === undefined ? [] : [{ name: delegate_to, path: [...path, 'delegate_to'] }]),
  ];
  return named
    .filter(({ name }) => isContractName(name) && !Object.hasOwn(contracts, name))
    .map(({ name, path: place }) => ({ path: place, message: `expected a name of contracts, got ${name}` }));
}
