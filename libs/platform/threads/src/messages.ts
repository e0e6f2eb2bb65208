/** Messages between a thread and its parent, and their types. */
import type { Transferable } from 'node:worker_threads';
import type { ErrorCode } from '#platform/foundation';
import type { Gate } from './uninterrupted.ts';

export type MethodName<Methods> = keyof Methods & string;

export type Arguments<Methods, Name extends keyof Methods> = Methods[Name] extends (
  ...args: infer Args
) => unknown
  ? Args
  : never;

export type Result<Methods, Name extends keyof Methods> = Methods[Name] extends (
  ...args: never[]
) => infer Value
  ? Awaited<Value>
  : never;

/** A result whose memory is transferred to the caller instead of being copied. */
export class Moved<Value> {
  readonly value: Value;
  readonly memory: readonly Transferable[];

  constructor(value: Value, memory: readonly Transferable[]) {
    this.value = value;
    this.memory = memory;
  }
}

/** A call to a thread. Without an id the caller expects no answer. */
export interface Call {
  readonly id: number | undefined;
  readonly name: string;
  readonly args: readonly unknown[];
}

/** The parameters of a thread's start. */
export interface Start {
  readonly setup: unknown;
  readonly gate: Gate;
}

/** Message to a thread: release all resources and end. */
export const CLOSE = 'close';

/** An expected failure, as sent between threads. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;
}

export type FromThread =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: Failure }
  | { readonly event: string; readonly args: readonly unknown[] };
