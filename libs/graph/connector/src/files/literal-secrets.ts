/**
 * Secrets that stand in a connector file themselves. Such a file is neither written nor shown over HTTP. What
 * counts is where a value stands, not what it looks like: below a key that ends in `_env` only the name of a
 * variable, below a key named like a secret nothing, and no password in an address.
 */
import { YamlDocument, type YamlPath } from '#platform/config';
import { DomainError } from '#platform/foundation';
import { VARIABLE_NAME } from '../config/config-field.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export const SECRET_EXPECTED =
  'expected no secret here: name the environment variable that holds it, in capitals, with a key that ends in _env';

const SECRET_KEY =
  /(?:passw(?:or)?d|passphrase|secret|token|api_?key|private_?key|credentials?|authorization)$/i;
const VARIABLE_KEY = /_env$/;
const LOGIN_IN_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]*:[^/?#@\s]+@/i;
/** The same in a text that is no YAML, so that positions of keys are unknown. */
const SECRET_LINE =
  /(?:passw(?:or)?d|passphrase|secret|token|api_?key|private_?key|credentials?|authorization)["']?\s*:/i;
const LOGIN_IN_TEXT = /[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]*:[^/?#@\s]+@/i;

/** Where a value of the file is a secret itself. */
export function literalSecrets({ value }: YamlDocument, environment: Environment): readonly YamlPath[] {
  return [...scalarsIn(value, [])]
    .filter(({ value: scalar, path }) => isSecret(scalar, path, environment))
    .map(({ path }) => path);
}

/** Where one of these variables is named: the secrets of the service are not those of a source. */
export function namedVariables({ value }: YamlDocument, names: readonly string[]): readonly YamlPath[] {
  return [...scalarsIn(value, [])]
    .filter(({ value: scalar, path }) => isBelowVariableKey(path) && names.includes(String(scalar)))
    .map(({ path }) => path);
}

/** Whether a text may be shown: it holds no secret, as far as that can be told. */
export function mayBeShown(text: string, environment: Environment): boolean {
  try {
    return literalSecrets(YamlDocument.parse(text, ''), environment).length === 0;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return !SECRET_LINE.test(text) && !LOGIN_IN_TEXT.test(text);
  }
}

interface PlacedScalar {
  readonly value: unknown;
  readonly path: YamlPath;
}

function* scalarsIn(value: unknown, path: YamlPath): Generator<PlacedScalar> {
  if (value === null) return;
  if (typeof value !== 'object') {
    yield { value, path };
    return;
  }
  for (const [name, member] of Object.entries(value) as [string, unknown][])
    yield* scalarsIn(member, [...path, Array.isArray(value) ? Number(name) : name]);
}

function isBelowVariableKey(path: YamlPath): boolean {
  return path.some((part) => VARIABLE_KEY.test(String(part)));
}

function isSecret(value: unknown, path: YamlPath, environment: Environment): boolean {
  if (isBelowVariableKey(path)) return !isVariable(value, environment);
  if (SECRET_KEY.test(String(path.at(-1)))) return true;
  return typeof value === 'string' && LOGIN_IN_ADDRESS.test(value);
}

function isVariable(value: unknown, environment: Environment): boolean {
  return typeof value === 'string' && (VARIABLE_NAME.test(value) || environment[value] !== undefined);
}
