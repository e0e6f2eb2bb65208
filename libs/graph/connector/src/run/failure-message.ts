import { DiskError } from '#platform/disk';
import type { Secret } from '#platform/foundation';

const MESSAGE_LENGTH_MAX = 1_000;
const SECRET_LENGTH_MIN = 3;

/** Why something failed, in one line that may be shown: no secret, no path of this machine. */
export function failureMessage(error: unknown, secrets: readonly Secret[]): string {
  return withoutSecrets(textOf(error), secrets).slice(0, MESSAGE_LENGTH_MAX);
}

/** Very short secrets would cut up every message; they protect nothing either. */
function withoutSecrets(text: string, secrets: readonly Secret[]): string {
  const hidden = secrets.map((secret) => secret.reveal()).filter((each) => each.length >= SECRET_LENGTH_MIN);
  return hidden.reduce((message, secret) => message.replaceAll(secret, '[redacted]'), text);
}

function textOf(error: unknown): string {
  if (error instanceof DiskError) return `cannot ${error.operation} the file: ${error.code}`;
  if (error instanceof AggregateError) return error.errors.map(textOf).join('; ');
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const [line = ''] = error.message.split('\n');
  return line === '' ? (code ?? error.name) : line;
}
