/** Plain data with names as our JSON has them: `activeRequests` as `active_requests`, undefined as null. */
export function snakeKeys(value: unknown): unknown {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [snakeCase(name), snakeKeys(part)]));
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
