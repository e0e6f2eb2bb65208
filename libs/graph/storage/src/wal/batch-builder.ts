/**
 * Encodes the operations of one batch directly in log format. Space for the headers of a frame and of the
 * batch is reserved in front, so that a large batch becomes a frame without a copy.
 */
import { assert, DomainError } from '#platform/foundation';
import { getU32, setU16, setU32, setU64 } from '../encoding/integers.ts';
import { BATCH_BYTES_MAX, KEY_BYTES_MAX } from '../store/limits.ts';
import type { BatchWriter } from '../store/storage.port.ts';
import { BATCH_HEADER_BYTES, FRAME_HEADER_BYTES } from './frame.ts';
import {
  DELETE,
  DELETE_HEADER_BYTES,
  PUT,
  PUT_HEADER_BYTES,
  PUT_SHARED,
  PUT_SHARED_HEADER_BYTES,
  SHARED_KEY_HEADER_BYTES,
} from './operation.ts';

const INITIAL_BYTES = 1024;
const FIRST_OPERATION_AT = FRAME_HEADER_BYTES + BATCH_HEADER_BYTES;

/** A batch under construction. It must not be used after it is appended. */
export class BatchBuilder implements BatchWriter {
  /** A piece of a larger allocation: most batches are small, and each allocation burdens the collector. */
  #bytes: Uint8Array = Buffer.allocUnsafe(INITIAL_BYTES);
  #end = FIRST_OPERATION_AT;
  #operations = 0;

  /** Begins with the operations of an encoded batch. Requires an empty builder. */
  load(encoded: Uint8Array): void {
    const end = FRAME_HEADER_BYTES + encoded.length;
    if (end > this.#bytes.length) this.#grow(end);
    this.#bytes.set(encoded, FRAME_HEADER_BYTES);
    this.#end = end;
    this.#operations = getU32(encoded, 4);
  }

  /** Bytes in the log, without the frame header. */
  get byteLength(): number {
    return this.#end - FRAME_HEADER_BYTES;
  }

  get operationCount(): number {
    return this.#operations;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    const at = this.#begin(PUT_HEADER_BYTES + key.length + value.length, PUT);
    this.#setKeyAndValue(at, PUT_HEADER_BYTES, key, value);
  }

  delete(key: Uint8Array, value: Uint8Array, purgeAtMs: number): void {
    const at = this.#begin(DELETE_HEADER_BYTES + key.length + value.length, DELETE);
    setU64(this.#bytes, at + 7, Math.max(0, Math.floor(purgeAtMs)));
    this.#setKeyAndValue(at, DELETE_HEADER_BYTES, key, value);
  }

  putShared(keys: readonly Uint8Array[], value: Uint8Array): void {
    const keyBytes = keys.reduce((sum, key) => sum + SHARED_KEY_HEADER_BYTES + key.length, 0);
    const at = this.#begin(PUT_SHARED_HEADER_BYTES + value.length + keyBytes, PUT_SHARED);
    setU32(this.#bytes, at + 1, keys.length);
    setU32(this.#bytes, at + 5, value.length);
    this.#bytes.set(value, at + PUT_SHARED_HEADER_BYTES);
    let next = at + PUT_SHARED_HEADER_BYTES + value.length;
    for (const key of keys) {
      assertKey(key);
      setU16(this.#bytes, next, key.length);
      this.#bytes.set(key, next + SHARED_KEY_HEADER_BYTES);
      next += SHARED_KEY_HEADER_BYTES + key.length;
    }
  }

  /** The batch in log format: header and operations. A view, valid until {@link reset}. */
  encoded(): Uint8Array {
    setU32(this.#bytes, FRAME_HEADER_BYTES, this.#end - FIRST_OPERATION_AT);
    setU32(this.#bytes, FRAME_HEADER_BYTES + 4, this.#operations);
    return this.#bytes.subarray(FRAME_HEADER_BYTES, this.#end);
  }

  /** The same with space for a frame header in front. */
  intoFrame(): Uint8Array {
    this.encoded();
    return this.#bytes.subarray(0, this.#end);
  }

  reset(): void {
    this.#end = FIRST_OPERATION_AT;
    this.#operations = 0;
  }

  #begin(bytes: number, kind: number): number {
    const at = this.#end;
    const end = at + bytes;
    if (end > this.#bytes.length) this.#grow(end);
    this.#bytes[at] = kind;
    this.#end = end;
    this.#operations++;
    return at;
  }

  #setKeyAndValue(at: number, headerBytes: number, key: Uint8Array, value: Uint8Array): void {
    assertKey(key);
    setU16(this.#bytes, at + 1, key.length);
    setU32(this.#bytes, at + 3, value.length);
    this.#bytes.set(key, at + headerBytes);
    this.#bytes.set(value, at + headerBytes + key.length);
  }

  #grow(end: number): void {
    if (end > BATCH_BYTES_MAX) {
      throw new DomainError(
        'BODY_TOO_LARGE',
        `expected a batch of at most ${BATCH_BYTES_MAX} bytes, got ${end}`,
      );
    }
    const grown = new Uint8Array(Math.max(end, this.#bytes.length * 2));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

function assertKey(key: Uint8Array): void {
  assert(key.length > 0 && key.length <= KEY_BYTES_MAX, 'expected a key of 1 to 8,192 bytes');
}
