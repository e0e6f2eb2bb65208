import { refuse, type Shape } from '#platform/config';

const WEI = /^(?:0|[1-9]\d{0,77})$/;

/** Amounts on the chain are 256-bit words. */
const WEI_END = 2n ** 256n;

/** An amount in wei as text; numbers are accepted if they are exact. */
export function wei(): Shape<string> {
  const expects = 'an amount of wei in digits, in quotes';
  return {
    expects,
    read: (value, at) => {
      const text = Number.isSafeInteger(value) ? String(value) : value;
      if (typeof text === 'string' && WEI.test(text) && BigInt(text) < WEI_END) return text;
      refuse(at, expects);
      return undefined;
    },
  };
}
