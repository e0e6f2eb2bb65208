import { type Command, type HelpConfiguration, type Option } from 'commander';
import { kebabCase, type Setting, type SettingTable } from '#platform/config';
import { styled } from './style.ts';

/** Help with the defaults and variables of the settings, from the table that the program reads. */
export function settingHelp(table: SettingTable): HelpConfiguration {
  return {
    showGlobalOptions: true,
    optionDescription: (option) => describedOption(option, table),
    styleTitle: (text) => styled('bold', text),
    styleOptionTerm: (text) => styled('cyan', text),
    styleSubcommandTerm: (text) => styled('cyan', text),
    styleArgumentTerm: (text) => styled('cyan', text),
  };
}

/** The settings of a program that have no flag of the command, one a line. */
export function environmentHelp(command: Command, table: SettingTable): string {
  const flags = new Set(flagsOf(command));
  const rest = Object.entries(table).filter(([name]) => !flags.has(name));
  if (rest.length === 0) return '';
  return sectionOf(
    'Environment variables without a flag:',
    rest.map(([, setting]) => setting),
  );
}

/** For a command that calls a server: the variables whose value is never a flag. */
export function secretsHelp(table: SettingTable, names: readonly string[]): string {
  return sectionOf(
    'Environment variables without a flag:',
    names.flatMap((name) => table[name] ?? []),
  );
}

function sectionOf(title: string, settings: readonly Setting<unknown>[]): string {
  const width = Math.max(...settings.map(({ env }) => env.length));
  const lines = settings.map(
    ({ env, about, fallbackText }) =>
      `  ${styled('cyan', env.padEnd(width))}  ${about}${fallbackText === undefined ? '' : ` (default: ${fallbackText})`}`,
  );
  return `\n${styled('bold', title)}\n${lines.join('\n')}`;
}

function flagsOf(command: Command): readonly string[] {
  const own = command.options.map((option) => option.attributeName());
  return command.parent === null ? own : [...own, ...flagsOf(command.parent)];
}

function describedOption(option: Option, table: SettingTable): string {
  const setting = settingOf(option, table);
  const choices = option.argChoices === undefined ? [] : [`one of ${option.argChoices.join(', ')}`];
  const facts = [
    ...choices,
    ...defaultOf(option, setting),
    ...(setting === undefined ? [] : [`env: ${setting.env}`]),
  ];
  const about = option.description === '' ? (setting?.about ?? '') : option.description;
  return facts.length === 0 ? about : `${about} (${facts.join('; ')})`.trim();
}

function settingOf(option: Option, table: SettingTable): Setting<unknown> | undefined {
  const name = option.attributeName();
  return `--${kebabCase(name)}` === option.long ? table[name] : undefined;
}

function defaultOf(option: Option, setting: Setting<unknown> | undefined): readonly string[] {
  const { defaultValue, defaultValueDescription } = option as {
    readonly defaultValue: unknown;
    readonly defaultValueDescription?: string | undefined;
  };
  if (defaultValueDescription !== undefined) return [`default: ${defaultValueDescription}`];
  if (typeof defaultValue === 'string' || typeof defaultValue === 'number')
    return [`default: ${defaultValue}`];
  const text = setting?.fallbackText;
  return text === undefined || option.description.includes('(default:') ? [] : [`default: ${text}`];
}
