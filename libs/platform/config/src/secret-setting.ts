import { Secret } from '#platform/foundation';
import { type Setting, SettingFault } from './setting.ts';

/** What an `Authorization` header can carry as a token. */
const TOKEN = /^[\x21-\x7e]+$/;

/**
 * A text that nothing prints; undefined when it is not set. There is no flag for it: flags are seen by
 * `ps`. A text that no request could carry is refused: it would lock everybody out.
 */
export function secretSetting(text: {
  readonly env: string;
  readonly about: string;
}): Setting<Secret | undefined> {
  return {
    ...text,
    fallback: undefined,
    parse: (value) => {
      if (!TOKEN.test(value)) throw new SettingFault('expected visible ASCII characters without blanks');
      return new Secret(value);
    },
  };
}
