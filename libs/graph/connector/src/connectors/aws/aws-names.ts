import type { EntityKey } from '#graph/model';
import { fittingKey } from '../document/fitting-key.ts';

export interface ArnParts {
  readonly service: string;
  readonly region: string;
  readonly account: string;
  /** `instance/i-0abc`. */
  readonly resource: string;
}

export function arnOf({ service, region, account, resource }: ArnParts): string {
  const partition = region.startsWith('cn-') ? 'aws-cn' : region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
  return `arn:${partition}:${service}:${region}:${account}:${resource}`;
}

export function accountOf(arn: string): string | undefined {
  const [, , , , account = ''] = arn.split(':');
  return /^\d{12}$/.test(account) ? account : undefined;
}

/** An entity of AWS: its type is that of Terraform, its key the ARN. */
export function awsKey(type: string, arn: string): EntityKey {
  return { type, key: fittingKey(arn) };
}

/** `us-east-1` of the zone `us-east-1a`; of local zones, `us-west-2-lax-1a`, the first three parts. */
export function regionOf(zone: string): string | undefined {
  return /^[a-z]{2}(?:-[a-z]+)+-\d+/.exec(zone)?.[0];
}
