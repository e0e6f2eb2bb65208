import { type Shape, string } from '#platform/config';

/** What listeners and clusters are called: fit for labels, headers and paths. */
export function name(): Shape<string> {
  return string(
    'a name of at most 64 letters, digits, dots, dashes and underscores, with a letter or digit first',
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  );
}
