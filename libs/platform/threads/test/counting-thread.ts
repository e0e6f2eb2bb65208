import { Thread, workerUrl } from '#platform/threads';

export interface CountingCalls {
  add(amount: number): number;
  bytes(count: number): Uint8Array;
  refuse(reason: string): void;
  break(): void;
  never(): void;
  spin(): void;
  /** Makes the next close fail. */
  failAtEnd(): void;
}

export interface CountingEvents {
  changed(sum: number): void;
}

export interface CountingOptions {
  readonly onChanged?: (sum: number) => void;
  readonly onBroken?: (error: Error) => void;
  readonly endMsMax?: number;
}

export function startCounting({ onChanged, ...options }: CountingOptions = {}): Thread<
  CountingCalls,
  CountingEvents
> {
  const url = workerUrl('counting-worker', import.meta.url);
  const listener = { changed: (sum: number) => onChanged?.(sum) };
  return new Thread({ url, setup: { start: 10 }, listener, ...options });
}
