import type { EntityKey } from '#graph/model';

/** From where everything public can be reached: one entity for all sources. */
export const INTERNET: EntityKey = { type: 'internet', key: 'internet' };

/** Whether a range of addresses is that of all, or of a half of all: two halves are a known disguise. */
export function isAnywhere(range: string): boolean {
  const [address = '', prefix = ''] = range.trim().split('/');
  const bits = Number(prefix);
  return prefix !== '' && bits <= 1 && /^[0-9a-f:.]+$/i.test(address);
}
