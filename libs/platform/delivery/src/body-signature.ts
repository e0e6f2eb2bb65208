import { createHmac } from 'node:crypto';

/** The header `Plexus-Signature`: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`; none without a key. */
export function bodySignature(
  key: string | undefined,
  body: string,
  nowMs: number,
): { readonly 'plexus-signature'?: string } {
  if (key === undefined) return {};
  const seconds = Math.floor(nowMs / 1_000);
  const mac = createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex');
  return { 'plexus-signature': `t=${seconds},v1=${mac}` };
}
