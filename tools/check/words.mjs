/**
 * Checks the vocabulary: each term of docs/GLOSSARY.md has one spelling in sources and documents; sources and
 * test names also use the field's term instead of some names of our own.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The term, and its rejected spellings. */
const SPELLINGS = [
  ['WAL', /\bwrite ?ahead[- ]?logs?\b|\bWAL log\b|\bwals?\b(?= file| segment)/],
  ['memtable', /\bmem[- ]tables?\b|\bMemTable/],
  ['group commit', /\bgroup-commit(?:s|ted|ting)?\b(?!\.)/],
  ['sequence number', /\bsequence[- ]?(?:id|no|num)s?\b|\bseq ?(?:no|num)\b|\bseqNo\b/i],
  ['tombstone', /\btomb[- ]stones?\b|\bdelete markers?\b/i],
  ['torn tail', /\btorn[- ](?:end|write tail)\b|\btorntail\b/i],
  ['posting list', /\bpostings? ?lists\b(?<!posting lists)|\bpostinglists?\b/],
  ['sparse index', /\bsparse (?:indices|indexes)\b/i],
  ['data directory', /\bdatadirs?\b(?!\.)|\bdata folders?\b/],
  ['API key', /\bapi-keys?\b(?![./\-'"`])|\bAPIkeys?\b|\bApi key\b/],
  ['time-out (noun), timeoutMs (setting)', /\btime out(?:s)? (?:of|after|is)\b/],
  ['display_name (field), display name (prose)', /\bdisplay-name\b/],
  ['file system', /\bfilesystems?\b/i],
  ['licence (noun), License (class)', /\blicenses are\b/],
];

/** The field's term, and names that are rejected in its place. */
const NAMES = [
  ['gateway, service, scheduler', /\b\w*Desks?\w*\b|\bdesks?\b/],
  ['wallet', /\b\w*Purses?\w*\b|\bpurses?\b/],
  ['thread, slot', /\b\w*Seats?\w*\b|\bseats?\b/],
  ['connection', /\b\w*[a-z]Lanes?\b|\blanes?\b/],
  ['data, record', /\b\w*[a-z]Sheets?\b|\bsheets?\b/],
  ['untrusted peer, client without a key', /\b\w*Strangers?\w*\b|\bstrangers?\b/],
  ['order, follow', /\b[Oo]bey(?:s|ed)?\b/],
];
const SOURCES = /\.(?:ts|mjs|svelte|css)$/;

const TEXTS = ['*.ts', '*.mjs', '*.svelte', '*.css', '*.md', '*.js', '*.json', '*.yaml'];
const EXCEPT = [
  ':!package-lock.json',
  ':!**/package-lock.json',
  ':!tools/check/words.mjs',
  ':!docs/GLOSSARY.md',
];

function filesToRead() {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...TEXTS, ...EXCEPT];
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
}

function faultsOf(path) {
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  const words = SOURCES.test(path) ? [...SPELLINGS, ...NAMES] : SPELLINGS;
  return lines.flatMap((line, index) =>
    words
      .filter(([, variant]) => variant.test(line))
      .map(([word, variant]) => `${path}:${index + 1}: "${variant.exec(line)[0]}": we write ${word}`),
  );
}

const faults = filesToRead().flatMap(faultsOf);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
