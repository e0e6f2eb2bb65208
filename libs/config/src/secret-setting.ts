import { Secret } from '#foundation';
import type { Setting } from './setting.ts';

/**
 * A text that nothing prints; undefined when it is not set. There is no flag for it: flags are seen by
 * `ps`.
 */
export function secretSetting(text: {
  readonly env: string;
  readonly about: string;
}): Setting<Secret | undefined> {
  return { ...text, fallback: undefined, parse: (value) => new Secret(value) };
}
