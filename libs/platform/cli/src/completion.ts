import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** What may follow a command: its subcommands and flags, with the values of flags that have a few. */
interface CompletedCommand {
  /** Names from the program on, without its own. */
  readonly path: string;
  readonly words: readonly string[];
  readonly choices: ReadonlyMap<string, readonly string[]>;
}

/** A script that completes the commands and flags of a program, all of which are loaded. */
export function completionScript(program: Command, shell: Shell): string {
  const name = program.name();
  const commands = [...completedCommands(program, '')];
  if (shell === 'fish') return fishScript(name, commands);
  const script = bashScript(name, commands);
  if (shell === 'bash') return `${script}complete -o default -F ${functionOf(name)} ${name}\n`;
  return `#compdef ${name}\nautoload -U +X bashcompinit && bashcompinit\n${script}complete -o default -F ${functionOf(name)} ${name}\n`;
}

function* completedCommands(command: Command, path: string): Iterable<CompletedCommand> {
  const flags = command.options.flatMap(({ short, long }) =>
    [short, long].filter((flag) => flag !== undefined),
  );
  const choices = new Map(
    command.options.flatMap(({ long, argChoices }) =>
      long !== undefined && argChoices !== undefined ? [[long, argChoices] as const] : [],
    ),
  );
  const names = command.commands.map((child) => child.name());
  yield { path, words: [...names, ...flags, '--help'], choices };
  for (const child of command.commands) yield* completedCommands(child, `${path} ${child.name()}`.trim());
}

function functionOf(name: string): string {
  return `_${name.replaceAll(/\W/g, '_')}`;
}

/** The path grows with each word that is a command where it stands. */
function bashScript(name: string, commands: readonly CompletedCommand[]): string {
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  const values = commands.flatMap(({ path, choices }) =>
    [...choices].map(([flag, words]) => `    '${path}|${flag}') words='${words.join(' ')}' ;;`),
  );
  const following = commands.map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`);
  return `${functionOf(name)}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" path='' words='' next i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case "$next" in ${paths.join('|')}) path="$next" ;; esac
  done
  case "$path|$before" in
${values.join('\n')}
    *) case "$path" in
${following.join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
`;
}

function fishScript(name: string, commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ path, words, choices }) => {
    const parts = path.split(' ').filter((part) => part !== '');
    const seen = parts.map((part) => `__fish_seen_subcommand_from ${part}`).join('; and ');
    const when = seen === '' ? '__fish_use_subcommand' : seen;
    const subcommands = words.filter((word) => !word.startsWith('-'));
    const flags = words.filter((word) => word.startsWith('--')).map((flag) => flag.slice(2));
    return [
      ...(subcommands.length > 0
        ? [`complete -c ${name} -n '${when}' -f -a '${subcommands.join(' ')}'`]
        : []),
      ...flags.map((flag) => {
        const values = choices.get(`--${flag}`);
        return `complete -c ${name} -n '${when}' -l ${flag}${values ? ` -x -a '${values.join(' ')}'` : ''}`;
      }),
    ];
  });
  return `${lines.join('\n')}\n`;
}
