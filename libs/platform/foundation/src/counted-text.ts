/** `1 file`, `2 files`; a noun may have a plural of its own. */
export function countedText(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
