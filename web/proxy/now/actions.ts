import { ApiError, dataOf } from '../../kit/session/api-error.ts';
import { disableEndpoint, drain, enableEndpoint, reload } from '../api/generated/sdk.gen.ts';
import type { ReloadResultDto } from '../api/generated/types.gen.ts';

/** A change must be sent as JSON, although its body is empty. */
const BODY = { body: {} };

/** The result. Throws {@link ApiError}, with the faults of a rejected configuration. */
export async function reloadConfig(): Promise<string> {
  const answer = await reload(BODY);
  if (isRejection(answer.error)) throw new ApiError('REJECTED', answer.error.faults.join('\n'));
  const { result } = await dataOf(Promise.resolve(answer));
  return `The configuration was ${result === 'unchanged' ? 'reloaded and is unchanged' : result}.`;
}

export async function drainProxy(): Promise<string> {
  await dataOf(drain(BODY));
  return 'The proxy is draining, and exits afterwards.';
}

export async function switchEndpoint(
  place: { readonly cluster: string; readonly address: string },
  isEnabled: boolean,
): Promise<string> {
  await dataOf((isEnabled ? enableEndpoint : disableEndpoint)({ ...BODY, path: place }));
  return `${place.cluster} ${place.address} was ${isEnabled ? 'enabled' : 'disabled'}.`;
}

function isRejection(body: unknown): body is ReloadResultDto {
  return typeof body === 'object' && body !== null && 'faults' in body;
}
