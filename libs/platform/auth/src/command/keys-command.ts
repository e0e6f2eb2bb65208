import { type Command, Option } from 'commander';
import { dirname } from 'node:path';
import { formatTable, type Output, UsageError } from '#platform/cli';
import { durationSetting, SettingFault } from '#platform/config';
import { type Disk, DiskError, isMissingFile, NodeDisk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { readUses } from '../key-uses.ts';
import { newSecret } from '../keyring.ts';
import { type NamedKey, parseKeys, untilMs } from '../keys-document.ts';
import type { AccessModel } from '../permission.ts';
import { withKey, withoutKey } from './keys-text.ts';

export interface KeysCommandParts {
  readonly model: AccessModel;
  /** The variable that names the file where the flag does not. */
  readonly variable: string;
  readonly output: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface NewFlags {
  readonly name: string;
  readonly role: string;
  readonly until?: string;
  readonly source?: string;
}

interface KeysFlags {
  readonly keys?: string;
}

const UNTIL = durationSetting({ env: '', about: '', fallback: 0 });

/**
 * Adds `new`, `list` and `revoke`, which change the keys file; a running program reads it again by itself.
 */
export function addKeysTo(keys: Command, parts: KeysCommandParts): void {
  const { model, output } = parts;
  const disk = new NodeDisk();
  withFile(keys.command('new'), parts)
    .description('make a key, append it to the file, and print its secret: it is shown only now')
    .requiredOption('--name <name>', 'who uses the key; stands in refusals')
    .requiredOption('--role <role>', `a role: ${Object.keys(model.roles).join(', ')}, or one of the file`)
    .option('--until <time>', 'end of the key: a duration such as 90d, a date, or a time in UTC')
    .option('--source <id>', 'the only source as which the key writes')
    .action(async ({ until, ...flags }: NewFlags & KeysFlags) => {
      const file = fileOf(flags, parts);
      const { secret, sha256 } = newSecret();
      const { name, role, source } = flags;
      const key: NamedKey = { name, role, sha256, until: until && endOf(until), source };
      await change(disk, file, (text) => withKey(text, key, { file, model }));
      await output.line(secret);
    });
  withFile(keys.command('list'), parts)
    .description('list the keys with their roles, ends and last uses')
    .addOption(new Option('--format <format>').choices(['table', 'json']).default('table'))
    .action(async ({ format, ...flags }: { readonly format: string } & KeysFlags) => {
      const file = fileOf(flags, parts);
      const rows = await listed(disk, file, model);
      await output.write(format === 'json' ? `${JSON.stringify(rows, null, 2)}\n` : `${tableOf(rows)}\n`);
    });
  withFile(keys.command('revoke'), parts)
    .description('remove a key from the file')
    .argument('<name>')
    .action(async (name: string, flags: KeysFlags) => {
      const file = fileOf(flags, parts);
      await change(disk, file, (text) => withoutKey(text, name, { file, model }));
      await output.line(`${name}: revoked`);
    });
}

function withFile(command: Command, { variable }: KeysCommandParts): Command {
  return command.option('--keys <file>', `keys file; default: ${variable}`);
}

function fileOf({ keys = '' }: KeysFlags, { variable, environment }: KeysCommandParts): string {
  const file = keys === '' ? (environment[variable] ?? '') : keys;
  if (file === '') throw new UsageError(`expected --keys or ${variable}: the keys file`);
  return file;
}

/** A duration from now, or the text itself. */
function endOf(text: string): string {
  if (untilMs(text) !== undefined) return text;
  try {
    const end = new Date(Date.now() + UNTIL.parse(text));
    return `${end.toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`;
  } catch (error) {
    if (!(error instanceof SettingFault || error instanceof RangeError)) throw error;
    throw new UsageError(
      '--until: expected a duration such as 90d, a date such as 2027-01-31, or a time in UTC',
    );
  }
}

interface ListedKey extends Omit<NamedKey, 'sha256'> {
  readonly state: 'valid' | 'ended';
  readonly last_used?: string | undefined;
}

async function listed(disk: Disk, file: string, model: AccessModel): Promise<readonly ListedKey[]> {
  const [text, uses] = await Promise.all([disk.readText(file), readUses(disk, file)]);
  return parseKeys(text, file, model).keys.map(({ name, role, until, source }) => {
    const isValid = until === undefined || Date.now() < (untilMs(until) ?? 0);
    return { name, role, source, until, state: isValid ? 'valid' : 'ended', last_used: uses.get(name) };
  });
}

function tableOf(rows: readonly ListedKey[]): string {
  const cells = rows.map(({ name, role, source, until, state, last_used: lastUsed }) => [
    name,
    role,
    source ?? '',
    until ?? 'no end',
    state,
    lastUsed ?? 'never',
  ]);
  return formatTable(['name', 'role', 'source', 'until', 'state', 'last used'], cells);
}

/**
 * Replaces the file at once; a missing one is created. The new file is taken by its name first, so that of
 * two commands at a time one fails, and no key is lost.
 */
async function change(disk: Disk, file: string, edit: (text: string) => string): Promise<void> {
  const next = `${file}.new`;
  const text = await disk.readText(file).catch((error: unknown) => {
    if (!isMissingFile(error)) throw error;
    return '';
  });
  const edited = edit(text);
  try {
    await disk.writeNew(next, Buffer.from(edited));
  } catch (cause) {
    if (isMissingFile(cause))
      throw new DomainError('INVALID_CONFIG', `${file}: there is no directory ${dirname(file)}`, { cause });
    if (!(cause instanceof DiskError) || cause.code !== 'EEXIST') throw cause;
    throw new DomainError('CONFLICT', `${next} exists: another command is changing the keys, or remove it`, {
      cause,
    });
  }
  await disk.rename(next, file);
}
