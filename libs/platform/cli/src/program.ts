import { Argument, Command, Option } from 'commander';
import { parseSettings, readEnvironment, type Settings, type SettingTable } from '#platform/config';
import { VERSION } from '#platform/foundation';
import { completionScript, type Shell, SHELLS } from './completion.ts';
import { environmentHelp, secretsHelp, settingHelp } from './help.ts';
import { EXIT, type ExitCodes, exitCodeOf, failureText } from './failure.ts';
import { allowClosedPipes, visibleText } from './output.ts';
import { chooseColor, COLOR_CHOICES, showsColors, styled } from './style.ts';

/** A command of a program. */
export interface CommandEntry<Context> {
  readonly name: string;
  readonly about: string;
  /** Arguments and action, loaded only when this command runs: the others start faster. */
  readonly load: () => Promise<{ addTo(command: Command, context: Context): void }>;
  /** Whether it reads all settings of the program: its help lists those without a flag. */
  readonly takesSettings?: boolean;
}

export interface Program<Context = void> {
  readonly name: string;
  readonly about: string;
  readonly commands: readonly CommandEntry<Context>[];
  /** Adds the options that the program accepts without a command. */
  readonly addTo?: (program: Command, context: Context) => void;
  /** The settings whose defaults and variables the help shows. */
  readonly settings?: () => Promise<SettingTable>;
  /** Whether it has the command `completion`. */
  readonly completes?: boolean;
  /** Shared by the commands. */
  readonly context: Context;
  /** Exit codes in addition to those of every program. */
  readonly exitCodes?: ExitCodes;
  /** Printed before each failure message; default: the program's name and a colon. */
  readonly messagePrefix?: string;
}

/** Runs one command line, without the names of the runtime and the script; returns the exit code. */
export async function runProgram<Context>(
  program: Program<Context>,
  args: readonly string[],
): Promise<number> {
  allowClosedPipes([process.stdout, process.stderr]);
  try {
    const root = await createCommand(program, args);
    await root.parseAsync(args, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    const text = failureText(error, program.messagePrefix ?? `${program.name}: `);
    // A message may contain stored text, or that of a server.
    if (text !== undefined) console.error(failureLines(text, program));
    return exitCodeOf(error, program.exitCodes ?? {});
  }
}

/** The text of a failure where a program goes on after it, such as in a shell. */
export function failureLine(error: unknown): string {
  const text = failureText(error, 'error: ') ?? '';
  const [first = '', ...rest] = text.split('\n').map(visibleText);
  const marked = first.startsWith('error:')
    ? styled('red', 'error:', process.stderr) + first.slice('error:'.length)
    : first;
  return [marked, ...rest].join('\n');
}

/** The name of the program is marked on a terminal. */
function failureLines<Context>(text: string, { name }: Program<Context>): string {
  const lines = text.split('\n').map(visibleText).join('\n');
  const prefix = `${name}:`;
  if (!lines.startsWith(prefix)) return lines;
  return styled('red', prefix, process.stderr) + lines.slice(prefix.length);
}

async function createCommand<Context>(program: Program<Context>, args: readonly string[]): Promise<Command> {
  const { name, about, commands, addTo, context } = program;
  const table = asksForHelp(args) ? ((await program.settings?.()) ?? {}) : {};
  const root = new Command(name)
    .description(about)
    .addOption(new Option('--log-format <format>', 'format of log lines').choices(['text', 'json']))
    .addOption(new Option('--color <when>', 'colour of output').choices(COLOR_CHOICES).default('auto'))
    .version(VERSION, '-V, --version')
    .allowExcessArguments(false)
    .configureHelp(settingHelp(table))
    .configureOutput({ getOutHasColors: () => true, getErrHasColors: () => showsColors(process.stderr) })
    .on('option:color', chooseColor)
    .exitOverride()
    .showHelpAfterError(`(see ${name} --help)`);
  addTo?.(root, context);
  const wanted = args.find((arg) => commands.some((command) => command.name === arg));
  for (const entry of commands) {
    const command = root.command(entry.name).description(entry.about);
    if (entry.name !== wanted) continue;
    (await entry.load()).addTo(command, context);
    explainEnvironment(command, table, entry.takesSettings === true);
  }
  if (commands.length === 0) explainEnvironment(root, table, true);
  if (program.completes === true) addCompletion(root, program, wanted);
  inheritSettings(root);
  requireFlagsLast(root);
  return root;
}

/** Whether the help is printed: only then the settings are loaded for it. */
function asksForHelp(args: readonly string[]): boolean {
  return args.length === 0 || args.some((arg) => ['--help', '-h', 'help'].includes(arg));
}

/** Commands that call a server have its key from the environment alone. */
function explainEnvironment(command: Command, table: SettingTable, isWhole: boolean): void {
  const text = (): string => {
    if (isWhole) return environmentHelp(command, table);
    return 'apiKey' in table && takesUrl(command) ? secretsHelp(table, ['apiKey']) : '';
  };
  command.addHelpText('after', text);
  for (const child of command.commands) explainEnvironment(child, table, isWhole);
}

function takesUrl(command: Command): boolean {
  return command.options.some(({ long }) => long === '--url');
}

/** Prints the completion of all commands, which are loaded for it. */
function addCompletion<Context>(
  root: Command,
  { commands, context }: Program<Context>,
  loaded: string | undefined,
): void {
  root
    .command('completion')
    .description('print a script that completes commands and flags in a shell')
    .addArgument(new Argument('<shell>', `in bash: source <(${root.name()} completion bash)`).choices(SHELLS))
    .action(async (shell: Shell) => {
      for (const entry of commands) {
        const command = root.commands.find((each) => each.name() === entry.name);
        if (command !== undefined && entry.name !== loaded) (await entry.load()).addTo(command, context);
      }
      process.stdout.write(completionScript(root, shell));
    });
}

/** Subcommands exit the same way as the program, and reject unknown options and arguments. */
function inheritSettings(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command).allowExcessArguments(false);
    inheritSettings(child);
  }
}

/**
 * Required flags are looked for once everything given is understood: a misspelt one is an unknown one, not a
 * missing one.
 */
function requireFlagsLast(command: Command): void {
  const required = command.options.filter((option) => option.mandatory);
  for (const option of required) option.mandatory = false;
  command.hook('preAction', (_command, acting) => {
    const missing = required.filter((option) => acting.getOptionValue(option.attributeName()) === undefined);
    const names = missing.map(({ flags }) => `'${flags}'`).join(', ');
    if (names !== '')
      acting.error(`error: required option${missing.length === 1 ? '' : 's'} ${names} not specified`);
  });
  for (const child of command.commands) requireFlagsLast(child);
}

/**
 * Settings from the environment and from all flags that are settings, including the program's own; other
 * flags belong to the command. Throws INVALID_CONFIG.
 */
export function commandSettings<Table extends SettingTable>(
  command: Command,
  table: Table,
  prefix: string,
): Settings<Table> {
  const flags = Object.entries(command.optsWithGlobals()).flatMap(([name, value]): [string, string][] => {
    if (!(name in table)) return [];
    // A flag without a value turns its setting on.
    if (value === true) return [[name, 'on']];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return parseSettings(table, { environment: readEnvironment(), flags: Object.fromEntries(flags), prefix });
}
