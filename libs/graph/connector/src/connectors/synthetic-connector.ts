import { seededRandom } from '#platform/foundation';
import { type ConfigOf, integerField } from '../config/config-field.ts';
import { defineConnector } from '../config/connector-type.ts';
import type { EntityDraft, RelationshipDraft, Step, StepContext } from '../run/step.ts';

const COUNT_MAX = 10_000_000;

const CONFIG = {
  seed: integerField({ about: 'seed of the generated data', fallback: 1 }, 0, 2 ** 32 - 1),
  hosts: integerField({ about: 'number of hosts', fallback: 100 }, 0, COUNT_MAX),
  services: integerField({ about: 'number of services', fallback: 50 }, 0, COUNT_MAX),
  users: integerField({ about: 'number of users', fallback: 20 }, 0, COUNT_MAX),
  services_per_host: integerField({ about: 'number of services per host', fallback: 2 }, 0, 1_000),
};

type Config = ConfigOf<typeof CONFIG>;

const REGIONS = ['us-east-1', 'us-west-2', 'eu-west-1', 'ap-south-1'];
const SYSTEMS = ['linux', 'linux', 'linux', 'windows'];
const ENVIRONMENTS = ['prod', 'staging', 'dev'];

/** A generated estate of hosts, services and users, for demonstrations, tests and benchmarks. */
export const syntheticConnector = defineConnector({
  name: 'synthetic',
  about: 'generated hosts, services and users, equal for equal seeds',
  config: CONFIG,
  vocabulary: {
    entities: { host: 'cpu env name os region', service: 'name port public', user: 'email mfa_enabled name' },
    relationships: { 'host RUNS service': '', 'user OWNS host': '' },
  },
  steps: (): readonly Step<Config>[] => [HOSTS, SERVICES, USERS, RUNS, OWNS],
});

const HOSTS: Step<Config> = {
  id: 'hosts',
  emits: { entities: ['host'] },
  run: (context) => context.emitAll({ entities: hosts(context) }),
};

const SERVICES: Step<Config> = {
  id: 'services',
  emits: { entities: ['service'] },
  run: (context) => context.emitAll({ entities: services(context) }),
};

const USERS: Step<Config> = {
  id: 'users',
  emits: { entities: ['user'] },
  run: (context) => context.emitAll({ entities: users(context) }),
};

const RUNS: Step<Config> = {
  id: 'runs',
  description: 'which host runs which services',
  dependsOn: ['hosts', 'services'],
  emits: { relationships: ['RUNS'] },
  run: (context) => context.emitAll({ relationships: runs(context) }),
};

const OWNS: Step<Config> = {
  id: 'owns',
  description: 'who owns which host',
  dependsOn: ['hosts', 'users'],
  emits: { relationships: ['OWNS'] },
  run: (context) => context.emitAll({ relationships: owns(context) }),
};

type Context = StepContext<Config>;

function* hosts(context: Context): Iterable<EntityDraft> {
  const { pick } = dice(context, 'hosts');
  for (const key of keys('host', context.config.hosts)) {
    const place = { os: pick(SYSTEMS), region: pick(REGIONS), env: pick(ENVIRONMENTS) };
    yield { type: 'host', key, class: 'Host', properties: { name: key, ...place, cpu: pick([2, 4, 8, 16]) } };
  }
}

function* services(context: Context): Iterable<EntityDraft> {
  const { pick } = dice(context, 'services');
  for (const key of keys('service', context.config.services)) {
    const properties = { name: key, port: pick([443, 5432, 6379, 8080]), public: pick([true, false, false]) };
    yield { type: 'service', key, class: 'Service', properties };
  }
}

function* users(context: Context): Iterable<EntityDraft> {
  const { pick } = dice(context, 'users');
  for (const key of keys('user', context.config.users)) {
    const properties = { name: key, email: `${key}@example.com`, mfa_enabled: pick([true, true, false]) };
    yield { type: 'user', key, class: 'User', properties };
  }
}

function* runs(context: Context): Iterable<RelationshipDraft> {
  const { pick } = dice(context, 'runs');
  const known = keysOf(context, 'service');
  const count = Math.min(context.config.services_per_host, known.length);
  for (const host of context.entities('host')) {
    for (const key of new Set(Array.from({ length: count }, () => pick(known)))) {
      yield { from: host, verb: 'RUNS', to: { type: 'service', key } };
    }
  }
}

function* owns(context: Context): Iterable<RelationshipDraft> {
  const { pick } = dice(context, 'owns');
  const known = keysOf(context, 'user');
  if (known.length === 0) return;
  for (const host of context.entities('host')) {
    yield { from: { type: 'user', key: pick(known) }, verb: 'OWNS', to: host };
  }
}

/** Each step has its own random generator, so that their order does not matter. */
function dice({ config }: Context, step: string): { pick: <T>(from: readonly T[]) => T } {
  const salt = Array.from(step).reduce((sum, letter) => Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0), 7);
  const next = seededRandom(config.seed ^ salt);
  return { pick: (from) => from[Math.floor(next() * from.length)] as (typeof from)[number] };
}

function* keys(name: string, count: number): Iterable<string> {
  const width = String(Math.max(count, 1)).length;
  for (let number = 1; number <= count; number++) yield `${name}-${String(number).padStart(width, '0')}`;
}

function keysOf(context: Context, type: string): readonly string[] {
  return Array.from(context.entities(type), ({ key }) => key);
}
