/** What a thread and the one that started it send each other, and its types. */
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

/** A result whose memory moves to the one that called, instead of being copied. */
export class Moved<Value> {
  readonly value: Value;
  readonly memory: readonly Transferable[];

  constructor(value: Value, memory: readonly Transferable[]) {
    this.value = value;
    this.memory = memory;
  }
}

/** To a thread. Without an id nobody waits for an answer. */
export interface Call {
  readonly id: number | undefined;
  readonly name: string;
  readonly args: readonly unknown[];
}

/** What a thread is started with. */
export interface Start {
  readonly setup: unknown;
  readonly gate: Gate;
}

/** To a thread: let go of what you hold, and end. */
export const CLOSE = 'close';

/** An expected failure as it crosses threads. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;
}

export type FromThread =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: Failure }
  | { readonly event: string; readonly args: readonly unknown[] };
