import type { Command, Option } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** What may follow a command: its subcommands, flags and words, with the values of flags. */
interface CompletedCommand {
  /** Names from the program on, without its own. */
  readonly path: string;
  readonly subcommands: readonly string[];
  /** Each with what it does. */
  readonly flags: readonly { readonly name: string; readonly about: string; readonly takesValue: boolean }[];
  /** Values of arguments that have a few. */
  readonly values: readonly string[];
  /** The values of flags; none for any, such as a file. */
  readonly choices: ReadonlyMap<string, readonly string[]>;
}

/** A script that completes the commands and flags of a program, all of which are loaded. */
export function completionScript(program: Command, shell: Shell): string {
  const name = program.name();
  const commands = [...completedCommands(program, '')];
  if (shell === 'fish') return fishScript(name, commands);
  return shell === 'bash' ? bashScript(name, commands) : zshScript(name, commands);
}

function* completedCommands(command: Command, path: string): Iterable<CompletedCommand> {
  const options = [...command.options, ...(path === '' ? [] : programOptions(command))];
  const flags = options.flatMap(({ short, long, description, required, optional }) =>
    [short, long].flatMap((name) =>
      name === undefined ? [] : [{ name, about: description, takesValue: required || optional }],
    ),
  );
  const choices = new Map(
    options.flatMap(({ short, long, argChoices = [], required, optional }) =>
      required || optional
        ? [short, long].flatMap((flag) => (flag ? [[flag, argChoices] as const] : []))
        : [],
    ),
  );
  const help = { name: '--help', about: 'display help', takesValue: false };
  const subcommands = command.commands.map((child) => child.name());
  const values = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  yield { path, subcommands, flags: [...flags, help], values, choices };
  for (const child of command.commands) yield* completedCommands(child, `${path} ${child.name()}`.trim());
}

/** The options of the program, which stand after a command as well. */
function programOptions(command: Command): readonly Option[] {
  const { parent } = command;
  if (parent === null) return command.options.filter(({ long }) => long !== '--version');
  return programOptions(parent);
}

function functionOf(name: string): string {
  return `_${name.replaceAll(/\W/g, '_')}`;
}

function wordsOf({ subcommands, values, flags }: CompletedCommand): string {
  return [...subcommands, ...values, ...flags.map((flag) => flag.name)].join(' ');
}

/** The paths of all commands as a pattern of `case`. */
function pathPattern(commands: readonly CompletedCommand[]): string {
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return paths.length === 0 ? "''" : paths.join('|');
}

/** For each flag with a value what may follow it: nothing of ours leaves files to the shell. */
function valueCases(
  commands: readonly CompletedCommand[],
  assign: (words: string) => string,
): readonly string[] {
  return commands.flatMap(({ path, choices }) =>
    [...choices].map(([flag, words]) => `    '${path}|${flag}') ${assign(words.join(' '))} ;;`),
  );
}

function followingCases(
  commands: readonly CompletedCommand[],
  assign: (words: string) => string,
): readonly string[] {
  return commands.map((command) => `      '${command.path}') ${assign(wordsOf(command))} ;;`);
}

/** The path grows with each word that is a command where it stands. */
function bashScript(name: string, commands: readonly CompletedCommand[]): string {
  const assign = (words: string): string => `words='${words}'`;
  return `${functionOf(name)}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" path='' words='' next i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case "$next" in ${pathPattern(commands)}) path="$next" ;; esac
  done
  case "$path|$before" in
${valueCases(commands, assign).join('\n')}
    *) case "$path" in
${followingCases(commands, assign).join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F ${functionOf(name)} ${name}
`;
}

/** Works as a file of \`fpath\`, where the first call defines it, and when it is sourced. */
function zshScript(name: string, commands: readonly CompletedCommand[]): string {
  const assign = (words: string): string => `offered=(${words})`;
  const own = functionOf(name);
  return `#compdef ${name}
${own}() {
  local current="\${words[CURRENT]}" before="\${words[CURRENT-1]}" reached='' next i
  local -a offered
  for ((i = 2; i < CURRENT; i++)); do
    next="\${reached:+$reached }\${words[i]}"
    case "$next" in ${pathPattern(commands)}) reached="$next" ;; esac
  done
  case "$reached|$before" in
${valueCases(commands, assign).join('\n')}
    *) case "$reached" in
${followingCases(commands, assign).join('\n')}
    esac ;;
  esac
  (( \${#offered} )) && compadd -- "\${offered[@]}" && return
  _files
}
if [ "\${funcstack[1]}" = "${own}" ]; then ${own} "$@"; else compdef ${own} ${name}; fi
`;
}

function fishScript(name: string, commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap((command) => fishLines(name, command));
  return `${lines.join('\n')}\n`;
}

function fishLines(name: string, { path, subcommands, flags, values, choices }: CompletedCommand): string[] {
  const parts = path.split(' ').filter((part) => part !== '');
  const seen = parts.map((part) => `__fish_seen_subcommand_from ${part}`).join('; and ');
  const inside = subcommands.length > 0 && parts.length > 0;
  const own = inside ? `${seen}; and not __fish_seen_subcommand_from ${subcommands.join(' ')}` : seen;
  const when = seen === '' ? '__fish_use_subcommand' : own;
  const words = [...subcommands, ...values];
  return [
    ...(words.length > 0 ? [`complete -c ${name} -n '${when}' -f -a '${words.join(' ')}'`] : []),
    ...flags.map(({ name: flag, about, takesValue }) => {
      const offered = choices.get(flag) ?? [];
      const value = offered.length > 0 ? ` -x -a '${offered.join(' ')}'` : takesValue ? ' -r' : '';
      const spelling = flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`;
      return `complete -c ${name} -n '${when}' ${spelling}${value} -d '${about.replaceAll(/['\\]/g, '')}'`;
    }),
  ];
}
