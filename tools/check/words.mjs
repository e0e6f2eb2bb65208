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

/**
 * The field's term, names that are rejected in its place, and what a file must contain for them to be the
 * field's term there: Arbitrum's express lane.
 */
const NAMES = [
  ['gateway, service, scheduler', /\b\w*Desk(?!top)\w*\b|\bdesks?\b/],
  ['wallet', /\b\w*Purses?\w*\b|\bpurses?\b/],
  ['thread, slot', /\b\w*Seats?\w*\b|\bseats?\b/],
  ['connection', /\b\w*[a-z]Lanes?\b|\blanes?\b/, /express[ _]?lane|timeboost/i],
  ['data, record', /\b\w*[a-z]Sheets?\b|\bsheets?\b/],
  ['untrusted peer, client without a key', /\b\w*Strangers?\w*\b|\bstrangers?\b/],
  ['order, follow', /\b[Oo]bey(?:s|ed)?\b|\b\w*Obey\w*/],
  ['lifetime, run, session', /\b\w*[a-z]Li(?:fe|ves)\b/],
  ['fact, reference', /\b\w*[a-z]Truths?\b/],
  ['notice, report, log, emit', /\b(?:told[A-Z]\w*|tell[A-Z]\w*|Told)\b/],
  ['the noun for the program or its caller', /\b\w*[a-z](?:(?:Any|Every|Some)body|Who(?:ever|m)?)\b/],
];

/** A test name has a program as its subject, and its verb from the field. */
const TEST_NAMES =
  /\b(?:any|every|no|some)body\b|\bwho(?:ever|m)?\b|\b(?:desk|life|lives|purse|told|truth)\b/i;
const TEST_NAME = /(?:\b(?:describe|it)(?:\.\w+)*|\]\))\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs;
/** Folders whose test names are checked. */
const NAMED = /spec\.ts$/;
const SOURCES = /\.(?:ts|mjs|svelte|css)$/;

const TEXTS = ['*.ts', '*.mjs', '*.svelte', '*.css', '*.md', '*.js', '*.json', '*.yaml'];
const EXCEPT = [
  ':!package-lock.json',
  ':!**/package-lock.json',
  ':!tools/check/words.mjs',
  ':!docs/GLOSSARY.md',
  // The words of others.
  ':!libs/graph/connector/test/kubernetes/*.yaml',
  ':!libs/graph/connector/test/scan/*.json',
];

function filesToRead() {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...TEXTS, ...EXCEPT];
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
}

function faultsOf(path) {
  const text = readFileSync(join(root, path), 'utf8');
  const words = SOURCES.test(path) ? [...SPELLINGS, ...NAMES] : SPELLINGS;
  const spelt = text
    .split('\n')
    .flatMap((line, index) =>
      words
        .filter(([, variant, excuse]) => variant.test(line) && excuse?.test(text) !== true)
        .map(([word, variant]) => `${path}:${index + 1}: "${variant.exec(line)[0]}": we write ${word}`),
    );
  return NAMED.test(path) ? [...spelt, ...testNameFaults(path, text)] : spelt;
}

function testNameFaults(path, text) {
  return Array.from(text.matchAll(TEST_NAME))
    .filter(([, , name]) => TEST_NAMES.test(name))
    .map(
      ({ index, 2: name }) =>
        `${path}:${text.slice(0, index).split('\n').length}: a plain test name, not "${name}"`,
    );
}

const faults = filesToRead().flatMap(faultsOf);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
