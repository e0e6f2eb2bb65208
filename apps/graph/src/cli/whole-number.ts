import { InvalidArgumentError } from 'commander';

/** Parses a command-line argument. */
export function wholeNumberFrom(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`expected a whole number from ${String(least)}`);
  };
}
