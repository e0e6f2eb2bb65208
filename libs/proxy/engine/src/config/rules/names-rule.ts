import { type DocumentFault, nameHint } from '#platform/config';
import type { Rule, WrittenNode } from './written-node.ts';

/** Names are unique, and lead to something. */
export const namesRule: Rule = (file) => {
  const listeners = file.items('listeners');
  const clusters = namesOf(file.items('clusters'));
  const httpListeners = namesOf(listeners.filter((listener) => listener.get('protocol').text !== 'tcp'));
  const leads = [...listeners, ...file.items('routes')].map((item) => item.get('cluster'));
  const places = file.items('routes').flatMap((route) => route.items('listeners'));
  return [
    ...repeated(listeners),
    ...repeated(file.items('clusters')),
    ...leads.flatMap((node) => unknown(node, 'cluster', clusters)),
    ...places.flatMap((node) => unknown(node, 'http listener', httpListeners)),
  ];
};

function repeated(items: readonly WrittenNode[]): DocumentFault[] {
  const seen = new Set<string>();
  return items.flatMap((item) => {
    const name = item.get('name');
    if (name.text === undefined) return [];
    if (seen.has(name.text)) return [name.fault(`the name ${name.text} is taken`)];
    seen.add(name.text);
    return [];
  });
}

function unknown(node: WrittenNode, what: string, names: readonly string[]): DocumentFault[] {
  if (node.text === undefined || names.includes(node.text)) return [];
  return [node.fault(`there is no ${what} "${node.text}": ${nameHint(node.text, names)}`)];
}

function namesOf(items: readonly WrittenNode[]): readonly string[] {
  const names = items.map((item) => item.get('name').text ?? '').filter((name) => name !== '');
  return Array.from(new Set(names));
}
