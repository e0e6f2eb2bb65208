import { describe, expect, it } from '@jest/globals';
import { completionsOf } from './shell-completion.ts';
import { historyFile, isPrivate } from './shell-history.ts';
import { languageOf, StatementReader } from './statement-reader.ts';

function statementsOf(...lines: readonly string[]): readonly string[] {
  const hasCommand = (name: string) => ['help', 'format'].includes(name);
  const reader = new StatementReader({ language: undefined, hasCommand });
  return [...lines.flatMap((line) => reader.add(line)), ...reader.end()];
}

describe('StatementReader', () => {
  it.each([
    [['FIND Host;'], ['FIND Host']],
    [
      ['FIND Host', "WITH a = 'x;y'", '', 'FIND b'],
      ["FIND Host\nWITH a = 'x;y'", 'FIND b'],
    ],
    [['FIND a; FIND b; FIND c'], ['FIND a', 'FIND b', 'FIND c']],
    [['FIND a -- why; so', 'LIMIT 1;'], ['FIND a -- why; so\nLIMIT 1']],
    [['FIND `a;b`;'], ['FIND `a;b`']],
    [
      ['MATCH (a)--(b) RETURN a; // end; here', 'RETURN 1;'],
      ['MATCH (a)--(b) RETURN a', '// end; here\nRETURN 1'],
    ],
    [['FIND a /* one;', 'two; */ LIMIT 1;'], ['FIND a /* one;\ntwo; */ LIMIT 1']],
    [["FIND a WITH b = 'open;", "still';"], ["FIND a WITH b = 'open;\nstill'"]],
    [
      [' :help', 'FIND a', ':b;'],
      [':help', 'FIND a\n:b'],
    ],
    [
      ['FIND a', ':format json', 'LIMIT 1;'],
      [':format json', 'FIND a\nLIMIT 1'],
    ],
    [
      ['MATCH (a)', ' :format json', 'RETURN a'],
      [':format json', 'MATCH (a)\nRETURN a'],
    ],
    [['MATCH (a', ':format', ') RETURN a'], ['MATCH (a\n:format\n) RETURN a']],
    [["FIND a WITH b = 'x", ':format', "';"], ["FIND a WITH b = 'x\n:format\n'"]],
    [['FIND a /*', ':format', '*/;'], ['FIND a /*\n:format\n*/']],
    [
      ['FIND a -- (', ':format'],
      [':format', 'FIND a -- ('],
    ],
    [[';;', '', '  '], []],
    [['FIND a;', '-- the end', '/* all */'], ['FIND a']],
  ])('reads %j as %j', (lines, statements) => {
    expect(statementsOf(...lines)).toEqual(statements);
  });
});

describe('languageOf', () => {
  it.each([
    ['FIND Host', 'pql'],
    ['explain find x', 'pql'],
    ['MATCH (n) RETURN n', 'cypher'],
    ['PROFILE MATCH (n) RETURN n', 'cypher'],
    ['optional  match (n) RETURN n', 'cypher'],
    ['FINED Host', 'pql'],
  ])('of %s is %s', (statement, language) => {
    expect(languageOf(statement)).toBe(language);
  });
});

describe('completionsOf', () => {
  const names = {
    classes: [{ name: 'Host' }],
    types: [{ name: 'host', properties: [{ name: 'os' }, { name: 'odd name' }] }],
    verbs: [{ name: 'HOSTS' }],
  };
  const offered = (line: string, language: 'pql' | 'cypher' = 'pql') =>
    completionsOf(line, { language, names, parameters: ['owner'], commands: [':help', ':format'] });

  it('offers names, keywords in the case that is typed, parameters and commands', () => {
    expect(offered('FIND ho')).toEqual([['host'], 'ho']);
    expect(offered('FIND hO')).toEqual([['HOSTS', 'Host', 'host'], 'hO']);
    expect(offered('FIND host WITH o')).toEqual([['`odd name`', 'os', 'of', 'or', 'order'], 'o']);
    expect(offered('MATCH (n:HO', 'cypher')[0]).toEqual([':HOSTS']);
    expect(offered('FIND x WITH y = $o')).toEqual([['$owner'], '$o']);
    expect(offered(':f')).toEqual([[':format'], ':f']);
    expect(offered(':format n')).toEqual([['ndjson'], 'n']);
    expect(offered('FIND ')[0]).toEqual([]);
  });
});

describe('the history', () => {
  it.each([
    [':param os=linux', true],
    ["MATCH (n {password: 'x'}) RETURN n", true],
    ["FIND user WITH api_key = 'x'", true],
    [':file https://a:b@c', true],
    [' FIND Host', true],
    ['FIND Host WITH os = $token_owner', false],
    [':params', false],
  ])('leaves out %j: %j', (entry, expected) => {
    expect(isPrivate(entry)).toBe(expected);
  });

  it('is in the state directory of the user', () => {
    expect(historyFile({ XDG_STATE_HOME: '/s' })).toBe('/s/plexus/shell_history');
    expect(historyFile({})).toMatch(/\/\.local\/state\/plexus\/shell_history$/);
  });
});
