import { styleText } from 'node:util';

export const COLOR_CHOICES = ['auto', 'always', 'never'] as const;
export type ColorChoice = (typeof COLOR_CHOICES)[number];
export type Style = Parameters<typeof styleText>[0];

let chosen: ColorChoice = 'auto';

/** Overrides the variables NO_COLOR and FORCE_COLOR for this process. */
export function chooseColor(choice: ColorChoice): void {
  chosen = choice;
}

/**
 * The text in a style, where the stream is a terminal that shows colours. NO_COLOR and NODE_DISABLE_COLORS
 * disable colours there, FORCE_COLOR enables them elsewhere.
 */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  if (chosen === 'never') return text;
  return styleText(style, text, { stream, validateStream: chosen === 'auto' });
}

/** Whether {@link styled} styles what is written to the stream. */
export function showsColors(stream: NodeJS.WriteStream): boolean {
  return styled('bold', '', stream) !== '';
}

/** A warning on standard error, which has nothing of the result. */
export function printWarning(text: string): void {
  process.stderr.write(`${styled('yellow', 'warning:', process.stderr)} ${text}\n`);
}
