/** Figures in docs/benchmarks.md, each between two marks, so that a new run replaces the last. */

export interface Recording {
  readonly name: string;
  readonly command: string;
  readonly day: string;
  readonly commit: string;
  /** The output of the program: Markdown, with a second-level heading as its title. */
  readonly printed: string;
}

const PLACE = '## Recorded';
/** A path of the machine, without influence on what is measured. */
const DIRECTORY = / --dir[ =]\S+/g;
const CHECKOUT = / --before[ =]\S+/g;

/** The document with the output inserted; at the end of its section when it is new. */
export function recorded(document: string, { name, command, day, commit, printed }: Recording): string {
  const [begin, end] = [`<!-- recorded: ${name} -->`, `<!-- end: ${name} -->`];
  const [keep, keepEnd] = ['<!-- prettier-ignore-start -->', '<!-- prettier-ignore-end -->'];
  const body = printed.trim().replaceAll(/^## /gm, '### ');
  const shown = command.replaceAll(DIRECTORY, '').replaceAll(CHECKOUT, ' --before <checkout>');
  const block = [begin, keep, body, `\`${shown}\`, ${day}, commit ${commit}.`, keepEnd, end].join('\n\n');
  const start = document.indexOf(begin);
  const stop = document.indexOf(end);
  if (start >= 0 && stop > start) return document.slice(0, start) + block + document.slice(stop + end.length);
  if (!document.includes(PLACE)) throw new Error(`expected a section "${PLACE}"`);
  return `${document.trimEnd()}\n\n${block}\n`;
}
