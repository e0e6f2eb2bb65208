/** The address of a page in a value: http and https only, since a value may come from anywhere. */
export function webAddressOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^https?:\/\/\S+$/i.test(value)) return undefined;
  return URL.canParse(value) ? value : undefined;
}
