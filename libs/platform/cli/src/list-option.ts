import { InvalidArgumentError, Option } from 'commander';

/** An option for one or more of some words, between commas; its value is the text. */
export function listOption(flags: string, description: string, words: readonly string[]): Option {
  return new Option(flags, description).choices(words).argParser((text: string) => {
    const unknown = text.split(',').find((word) => !words.includes(word.trim()));
    if (unknown === undefined) return text;
    throw new InvalidArgumentError(`expected one or more of ${words.join(', ')} between commas`);
  });
}
