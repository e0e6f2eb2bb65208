import { hash } from 'node:crypto';
import { MODEL_LIMITS } from '#graph/model';

const HASH_DIGITS = 8;

/** The text as a key: what does not fit is cut or replaced, and a part of its hash keeps keys distinct. */
export function fittingKey(text: string): string {
  const visible = text.replaceAll('\0', '\uFFFD').toWellFormed();
  if (visible === text && Buffer.byteLength(text) <= MODEL_LIMITS.keyBytesMax) return text;
  const end = `…${hash('sha256', text).slice(0, HASH_DIGITS)}`;
  const bytes = Buffer.from(visible).subarray(0, MODEL_LIMITS.keyBytesMax - Buffer.byteLength(end));
  // A character that was cut in half is left out.
  return new TextDecoder().decode(bytes, { stream: true }) + end;
}
