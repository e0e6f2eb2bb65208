import type { Scenario } from '#load/scenario';
import { WebTarget } from '#platform/delivery';
import { DomainError, Secret } from '#platform/foundation';
import type { FundingEnvironment } from './funding.ts';

/** A receiver of a run's result. */
export interface OpenWebhook {
  readonly target: WebTarget;
  /** The key of the signature. */
  readonly key: Secret | undefined;
}

/** Undefined for a scenario without one. Throws SCENARIO_INVALID for a missing variable or an invalid URL. */
export function openWebhook({ webhook }: Scenario, environment: FundingEnvironment): OpenWebhook | undefined {
  if (webhook === undefined) return undefined;
  const secretOf = (key: 'url_env' | 'secret_env'): Secret | undefined => {
    const name = webhook[key];
    if (name === undefined) return undefined;
    const text = environment[name];
    if (text !== undefined && text !== '') return new Secret(text);
    throw new DomainError('SCENARIO_INVALID', `scenario: webhook.${key}: the hive has no variable ${name}`);
  };
  const key = secretOf('secret_env');
  const config = { ...webhook, url_env: secretOf('url_env') };
  try {
    return { target: new WebTarget('webhook', config), key };
  } catch (cause) {
    if (!(cause instanceof DomainError)) throw cause;
    throw new DomainError('SCENARIO_INVALID', `scenario: ${cause.message}`, { cause });
  }
}
