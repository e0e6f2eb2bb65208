/** Prompts: common questions about the graph, with instructions for a model. */
import { DomainError } from '#platform/foundation';

interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  readonly text: (values: Readonly<Record<string, string>>) => string;
}

const ARGUMENT_LENGTH_MAX = 4_096;
const ENTITY = { name: 'entity', description: 'key, id or name of an entity', required: true };
const CITE = 'Say which tool calls and entities (type and key) your answer rests on, and what was cut.';

export const PROMPTS: readonly Prompt[] = [
  {
    name: 'explore',
    title: 'What is in this graph?',
    description: 'An overview of the data: what there is, how it hangs together, what is worth asking.',
    arguments: [],
    text: () => `What does this graph hold? Ask the tool schema, look at the most common types and verbs with a few
queries that count, and read the resource plexus://queries. Give an overview for a person who has not seen it, and five
questions that this data can answer, each with its PQL, checked with explain. ${CITE}`,
  },
  {
    name: 'ask',
    title: 'Answer a question by a query',
    description: 'Turns a question into PQL, corrects the query until it is valid, and answers.',
    arguments: [{ name: 'question', description: 'in plain words', required: true }],
    text: ({ question = '' }) => `Answer this question from the graph: ${question}

Ask schema for its words, read plexus://pql if you need more of the language, check the query with explain, then run
it. Mend it by the position and hint of an error; take warnings seriously: a mistyped word finds nothing. Show the final PQL.
${CITE}`,
  },
  {
    name: 'blast_radius',
    title: 'What is affected if this is compromised?',
    description: 'What an entity reaches, and what matters most of it.',
    arguments: [ENTITY],
    text: ({
      entity = '',
    }) => `What is affected if ${entity} is compromised or fails? Find it with find_entity, ask
blast_radius with direction out, and in where others depend on it. Group what is reached by class, name the most
sensitive of it with its path by shortest_path, and say which relationships one would cut first. ${CITE}`,
  },
  {
    name: 'access_path',
    title: 'How does one reach the other?',
    description: 'Whether and how an entity reaches another.',
    arguments: [
      { name: 'from', description: 'who or what reaches', required: true },
      { name: 'to', description: 'what is reached', required: true },
    ],
    text: ({
      from = '',
      to = '',
    }) => `Can ${from} reach ${to}, and how? Find both with find_entity, ask shortest_path with
direction out. Explain each step of the path. Without a path, say whether both ends were found, and try direction any. ${CITE}`,
  },
  {
    name: 'posture',
    title: 'Where do we fail, and what first?',
    description: 'Rules and controls that fail, and what to fix first.',
    arguments: [{ name: 'framework', description: 'default: all rules', required: false }],
    text: ({
      framework,
    }) => `How well are the rules${framework === undefined ? '' : ` of ${framework}`} met? Ask posture, then findings for the worst
rules. Say which few changes would mend most, by severity and number of findings, with the remediation of each rule, and
which rules had no data or were never evaluated: nothing is known of those. ${CITE}`,
  },
];

/** Throws INVALID_REQUEST. */
export function promptText(prompt: Prompt, given: Readonly<Record<string, string>> = {}): string {
  for (const { name, required } of prompt.arguments) {
    const value = given[name] ?? '';
    if (required && value.trim() === '') throw fault(name, 'expected a text');
    if (value.length > ARGUMENT_LENGTH_MAX)
      throw fault(name, `expected at most ${ARGUMENT_LENGTH_MAX} characters`);
  }
  return prompt.text(given);
}

function fault(field: string, message: string): DomainError {
  return new DomainError('INVALID_REQUEST', `${field}: ${message}`, { details: { field } });
}
