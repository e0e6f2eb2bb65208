/** Where a run's result is posted, with the rules of the graph's notifications. */
import {
  array,
  duration,
  object,
  optional,
  type Shape,
  string,
  withDefault,
  withWrittenDefault,
} from '#platform/config';
import { redactedUrl } from '#platform/foundation';

const VARIABLE = string('the name of an environment variable', /^[A-Za-z_]\w{0,127}$/);
const HOST = string('a host name or an IP address', /^[A-Za-z0-9.:_-]{1,253}$/);
const TIMEOUT_MS_MAX = 60_000;
const HOSTS_MAX = 64;

export const WEBHOOK = object({
  url: optional(
    string('a http:// or https:// URL', /^https?:\/\/[^\s\0]{1,2000}$/),
    'where to post, without secrets',
  ),
  url_env: optional(VARIABLE, 'instead of `url`: variable of the hive that holds the URL'),
  secret_env: optional(VARIABLE, 'variable of the hive that holds the key of the signature'),
  allow_private: withDefault(
    array(HOST, { min: 0, max: HOSTS_MAX }),
    [],
    'hosts on private networks, exactly as in the URL, that may be reached; others are refused',
  ),
  timeout: withWrittenDefault(
    duration({ minMs: 1, maxMs: TIMEOUT_MS_MAX }),
    '10s',
    'time limit of one attempt',
  ),
});

export type Webhook = typeof WEBHOOK extends Shape<infer T> ? T : never;

interface WebhookRule {
  readonly holds: boolean;
  readonly path: readonly string[];
  readonly message: string;
}

export function webhookRules(webhook: Webhook | undefined): readonly WebhookRule[] {
  if (webhook === undefined) return [];
  const { url, url_env: variable } = webhook;
  const isOne = (url === undefined) !== (variable === undefined);
  const path = ['webhook', 'url'];
  return [
    { holds: isOne, path: ['webhook'], message: 'expected either url or url_env' },
    {
      holds: url === undefined || URL.canParse(url),
      path,
      message: 'expected a URL with a valid host and port',
    },
    {
      // A scenario is shown in reports.
      holds: url === undefined || redactedUrl(url) === url,
      path,
      message: 'expected no user, key or query: put such a URL into a variable, url_env',
    },
  ];
}
