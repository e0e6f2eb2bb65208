/**
 * Attributes that may be stored. A state has the secrets of its resources, and older versions do not mark
 * those that only the provider knows: besides what is marked, names that secrets have are left out, and so
 * are all maps and nested values.
 */
import { type JsonObject, MODEL_LIMITS } from '#graph/model';
import { type Facts } from '../document/record-set.ts';

const SECRET_NAME =
  /pass(?:word|wd|phrase)|secret|token|private|credential|api_?key|access_?key|(?:account|primary|secondary|shared|master|auth|encryption|signing)_key|connection_(?:string|ur[il])|dsn|pem$|certificate|user_data|custom_data|content|^(?:value|data|body|input|output|result|rendered|stdout|response|b64_\w+|hex|dec)$|sas_|auth|bcrypt|_hash$|keystore|kubeconfig|kube_config|plaintext|ciphertext/i;
const SECRET_URL = /:\/\/[^/\s]*:[^/\s]*@/;
const TEXT_CHARACTERS_MAX = 4_096;
/** Fields of entities, which no property may have. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['class', 'display_name']);

export interface SafeAttributes {
  readonly facts: Facts;
  /** Number of attributes that are left out because they are, or may be, secret. */
  readonly secretCount: number;
}

export function safeAttributes(attributes: JsonObject, sensitive: ReadonlySet<string>): SafeAttributes {
  const facts: Record<string, Facts[string]> = {};
  let secretCount = 0;
  const isSecret = (name: string, value: unknown): boolean =>
    sensitive.has(name) || SECRET_NAME.test(name) || isSecretText(value);
  // The id of some, such as a random text, is the secret itself.
  const isSecretId = Object.entries(attributes).some(
    ([name, value]) => name !== 'id' && value === attributes['id'] && isSecret(name, value),
  );
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === '' || OWN_FIELDS.has(name)) continue;
    if (isSecret(name, value) || (name === 'id' && isSecretId)) {
      secretCount++;
      continue;
    }
    const plain = plainValue(value);
    if (plain !== undefined) facts[name.replace(/^_+/, '')] = plain;
  }
  return { facts, secretCount };
}

function isSecretText(value: unknown): boolean {
  const texts = Array.isArray(value) ? value : [value];
  return texts.some((text) => typeof text === 'string' && SECRET_URL.test(text));
}

/** A scalar or a list of texts; undefined for anything else. */
function plainValue(value: unknown): Facts[string] {
  if (typeof value === 'string') return value.length > TEXT_CHARACTERS_MAX ? undefined : value.toWellFormed();
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return String(value);
  if (!Array.isArray(value) || value.length === 0 || value.length > MODEL_LIMITS.listItemsMax)
    return undefined;
  const texts = value.filter((item) => typeof item === 'string' && item.length <= TEXT_CHARACTERS_MAX);
  return texts.length === value.length ? texts.map((text: string) => text.toWellFormed()) : undefined;
}
