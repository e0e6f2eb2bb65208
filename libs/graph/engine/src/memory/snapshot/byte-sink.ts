/** Where reply bytes go. */
export interface ByteSink {
  writeBytes(bytes: Uint8Array, start: number, end: number): void;
  writeText(text: string): void;
}
