/** The description of notification files: types, checks and defaults. */
import { SEVERITIES } from '#graph/policy';
import {
  array,
  checked,
  duration,
  integer,
  object,
  oneOf,
  optional,
  readDocument,
  record,
  required,
  section,
  type Shape,
  string,
  withDefault,
} from '#platform/config';
import { Secret } from '#platform/foundation';

/** The events: of findings, of rules, of connector runs, of records. */
export const NOTIFICATION_EVENTS = [
  'opened',
  'resolved',
  'rule_error',
  'connector_failed',
  'changed',
] as const;
export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];

export type ChannelEnvironment = Readonly<Record<string, string | undefined>>;

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CHANNELS_MAX = 100;
const ITEMS_MAX = 1_000;
const PORT_MAX = 65_535;

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const ADDRESS = /^[^\s@<>,;"\0]{1,128}@[^\s@<>,;"\0]{1,253}$/;

const name = string('lower-case letters, digits, dots, - and _, a letter or digit first', NAME);
const word = string('a text');
const address = string('an e-mail address', ADDRESS);
const host = string('a host name or an IP address', /^[A-Za-z0-9.:_-]{1,253}$/);
const hosts = array(host, { min: 0, max: ITEMS_MAX });

/** The name of an environment variable, replaced by its value; an unset one is an error. */
function variable(environment: ChannelEnvironment): Shape<Secret> {
  const shape = string('the name of an environment variable, not the secret itself', /^[A-Za-z_]\w{0,127}$/);
  return {
    expects: shape.expects,
    read: (value, at) => {
      const known = shape.read(value, at);
      const secret = known === undefined ? undefined : environment[known];
      if (secret !== undefined && secret !== '') return new Secret(secret);
      if (known !== undefined) {
        at.faults.push({ path: at.path, message: `the environment variable ${known} is not set` });
      }
      return undefined;
    },
  };
}

/** The shapes of channels by `type`. URLs and passwords may come from the environment. */
function channelShapes(environment: ChannelEnvironment) {
  const secret = variable(environment);
  const web = {
    url: optional(string('an http or https URL', /^https?:\/\/[^\s\0]{1,2040}$/), 'where to post'),
    url_env: optional(secret, 'the environment variable that holds the URL'),
    allow_private: withDefault(hosts, [], 'hosts on private networks that may be reached'),
    timeout: withDefault(duration({ minMs: 1, maxMs: 60 * SECOND_MS }), 10 * SECOND_MS, 'of one attempt'),
  };
  return {
    webhook: object({
      type: required(oneOf(['webhook']), 'an HTTP POST of JSON'),
      ...web,
      secret_env: optional(secret, 'the environment variable that holds the key of the signature'),
    }),
    slack: object({ type: required(oneOf(['slack']), 'an incoming webhook of Slack'), ...web }),
    email: object({
      type: required(oneOf(['email']), 'a mail over SMTP'),
      host: required(host, 'the SMTP server'),
      port: withDefault(integer({ min: 1, max: PORT_MAX }), 587, 'its port'),
      tls: withDefault(
        oneOf(['starttls', 'implicit', 'off']),
        'starttls',
        '`off`: mail and password pass in clear text',
      ),
      ca_env: optional(secret, 'the environment variable that holds the PEM of its authority'),
      user: optional(word, 'to sign in as'),
      password_env: optional(secret, 'the environment variable that holds the password'),
      from: required(address, 'the sender'),
      to: required(array(address, { min: 1, max: ITEMS_MAX }), 'the receivers'),
      allow_private: withDefault(hosts, [], 'hosts on private networks that may be reached'),
      timeout: withDefault(duration({ minMs: 1, maxMs: 60 * SECOND_MS }), 30 * SECOND_MS, 'of one attempt'),
    }),
    file: object({
      type: required(oneOf(['file']), 'one line of JSON for each message'),
      path: required(word, 'the file, relative to this one'),
    }),
  };
}

type ChannelShapes = ReturnType<typeof channelShapes>;
type ValueOf<S> = S extends Shape<infer T> ? T : never;
export type WebhookConfig = ValueOf<ChannelShapes['webhook']>;
export type SlackConfig = ValueOf<ChannelShapes['slack']>;
export type EmailConfig = ValueOf<ChannelShapes['email']>;
export type FileConfig = ValueOf<ChannelShapes['file']>;
export type ChannelConfig = WebhookConfig | SlackConfig | EmailConfig | FileConfig;

const CHANNEL_TYPES = ['webhook', 'slack', 'email', 'file'] as const;
const typed: Shape<(typeof CHANNEL_TYPES)[number]> = oneOf(CHANNEL_TYPES);

function channel(environment: ChannelEnvironment): Shape<ChannelConfig> {
  const shapes = channelShapes(environment);
  const expects = 'a table with a `type`';
  return {
    expects,
    read: (value, at) => {
      const given: unknown =
        typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
      const type = typed.read(given, { ...at, path: [...at.path, 'type'] });
      return type && hasOneUrl(shapes[type]).read(value, at);
    },
  };
}

function hasOneUrl(shape: Shape<ChannelConfig>): Shape<ChannelConfig> {
  return checked(shape, (given) => {
    if (given.type !== 'webhook' && given.type !== 'slack') return undefined;
    const count = [given.url, given.url_env].filter((url) => url !== undefined).length;
    return count === 1 ? undefined : 'expected either url or url_env';
  });
}

/** A list, or a single item. */
function oneOrMore<T>(item: Shape<T>): Shape<readonly T[]> {
  const list = array(item, { min: 1, max: ITEMS_MAX });
  return {
    expects: `${item.expects}, or a list of them`,
    read: (value, at) => {
      if (Array.isArray(value)) return list.read(value, at);
      const one = item.read(value, at);
      return one === undefined ? undefined : [one];
    },
  };
}

const subscriptionFields = object({
  on: required(oneOrMore(oneOf(NOTIFICATION_EVENTS)), 'events that are sent'),
  severity: optional(oneOrMore(oneOf(SEVERITIES)), 'of rules of these severities'),
  framework: optional(oneOrMore(word), 'of rules mapped to one of these'),
  rule: optional(oneOrMore(word), 'of these rules'),
  class: optional(oneOrMore(word), 'findings or changes of entities of these classes'),
  query: optional(word, 'changes of entities that this PQL selects, as they were or are'),
  connector: optional(oneOrMore(word), 'of these connectors'),
  to: required(oneOrMore(name), 'channels'),
});

const subscription = checked(subscriptionFields, ({ on, query }) =>
  query === undefined || (on.length === 1 && on[0] === 'changed')
    ? undefined
    : 'expected on: changed with a query',
);

export type Subscription = ValueOf<typeof subscriptionFields>;

const retry = object({
  first: withDefault(
    duration({ minMs: 1, maxMs: HOUR_MS }),
    SECOND_MS,
    'the wait after the first failure; doubles',
  ),
  longest: withDefault(duration({ minMs: 1, maxMs: DAY_MS }), 300 * SECOND_MS, 'the longest wait'),
  give_up_after: withDefault(
    duration({ minMs: 1, maxMs: 30 * DAY_MS }),
    DAY_MS,
    'since the message came to be',
  ),
});

export type DeliveryRetry = ValueOf<typeof retry>;

/** One file. */
export interface NotificationFile {
  readonly channels: Readonly<Record<string, ChannelConfig>>;
  readonly notifications: readonly Subscription[];
  readonly retry: DeliveryRetry;
}

export function notificationShape(environment: ChannelEnvironment): Shape<NotificationFile> {
  return object({
    channels: withDefault(
      record(name, channel(environment), { max: CHANNELS_MAX }),
      {},
      'where to tell it, by name',
    ),
    notifications: withDefault(
      array(subscription, { min: 0, max: ITEMS_MAX }),
      [],
      'what to tell, and where',
    ),
    retry: section(retry, 'when a channel does not take it'),
  });
}

/** All files together; a token. */
export class NotificationConfig {
  readonly channels: ReadonlyMap<string, ChannelConfig>;
  readonly subscriptions: readonly Subscription[];
  readonly retry: DeliveryRetry;

  constructor(
    given: Pick<NotificationConfig, 'channels' | 'subscriptions'> & {
      readonly retry?: DeliveryRetry | undefined;
    },
  ) {
    this.channels = given.channels;
    this.subscriptions = given.subscriptions;
    this.retry = given.retry ?? readDocument(retry, {}, 'retry');
  }

  /** A configuration without channels and subscriptions. */
  static empty(): NotificationConfig {
    return new NotificationConfig({ channels: new Map(), subscriptions: [] });
  }
}
