import type { Secret } from '#platform/foundation';
import { UsageError } from './failure.ts';

/** The server of a command. */
export interface ServerAddress {
  /** The URL without a final slash, user and password: it may be shown. */
  readonly base: string;
  /** The API key; else user and password of the URL, for a proxy before the server. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Throws UsageError, without the URL, which may hold a password. */
export function serverAddress(text: string, apiKey: Secret | undefined): ServerAddress {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError('--url: expected an address such as http://127.0.0.1:8080');
  }
  const { username, password } = url;
  const base = `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  const hasLogin = username !== '' || password !== '';
  if (apiKey !== undefined && hasLogin) {
    throw new UsageError('--url: expected either an API key, or user and password in the URL, not both');
  }
  if (apiKey !== undefined) return { base, headers: { Authorization: `Bearer ${apiKey.reveal()}` } };
  return { base, headers: hasLogin ? { Authorization: basic(username, password) } : {} };
}

function basic(username: string, password: string): string {
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`;
  } catch {
    throw new UsageError('--url: expected percent-encoded UTF-8 for user and password');
  }
}
