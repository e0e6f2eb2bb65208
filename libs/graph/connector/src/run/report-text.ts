import { basename } from 'node:path';
import { DiskError } from '#platform/disk';
import type { Secret } from '#platform/foundation';

const LENGTH_MAX = 1_000;
const SECRET_LENGTH_MIN = 3;

/** The reason of a failure in one line, without secrets and local paths. Never throws. */
export function failureMessage(error: unknown, secrets: readonly Secret[]): string {
  return reportText(textOf(error), secrets);
}

/**
 * The beginning of a text, without secrets, the longest first: one may be a part of another. Very short ones
 * stay: redacting them would mangle every text.
 */
export function reportText(text: string, secrets: readonly Secret[]): string {
  const hidden = secrets.map((secret) => secret.reveal()).filter((each) => each.length >= SECRET_LENGTH_MIN);
  const spellings = hidden.flatMap((secret) => [secret, encodeURIComponent(secret)]);
  return spellings
    .sort((a, b) => b.length - a.length)
    .reduce((redacted, spelling) => redacted.replaceAll(spelling, '[redacted]'), text)
    .slice(0, LENGTH_MAX);
}

function textOf(error: unknown): string {
  try {
    if (error instanceof DiskError) {
      const [name = ''] = basename(error.path).split('\n');
      return `cannot ${error.operation} the file ${name}: ${error.code}`;
    }
    if (error instanceof AggregateError) return error.errors.map(textOf).join('; ');
    if (!(error instanceof Error)) return String(error);
    const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
    const [line = ''] = error.message.split('\n');
    return line === '' ? (code ?? error.name) : line;
  } catch {
    // A module may throw anything, such as an object without text.
    return 'failed without a readable reason';
  }
}
