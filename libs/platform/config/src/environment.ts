/** The process's environment as it stands now. Read it once, in `main.ts`. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return { ...process.env };
}
