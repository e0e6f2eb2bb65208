import { randomBytes } from 'node:crypto';

const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const SUFFIX_LENGTH = 6;

/** `r-20261121-141503-k3v9ax`: sorts by time, in UTC. */
export function newRunId(nowMs: number): string {
  const [date = '', time = ''] = new Date(nowMs).toISOString().split('T');
  const suffix = Array.from(randomBytes(SUFFIX_LENGTH), (byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return `r-${date.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${suffix.join('')}`;
}
