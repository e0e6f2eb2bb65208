/** What forgetting an entity does to rules, findings and evaluations. */
import { type DocumentKind, type Erasure, keptDocuments } from '#graph/engine';
import type { PastEvaluation } from './evaluation.ts';
import { type StoredFinding, storedEntityId } from './finding-log.ts';
import {
  DECISION_PREFIX,
  EVALUATION_PREFIX,
  type FindingNote,
  FINDINGS_PREFIX,
  LAST_RUN_PREFIX,
  NAMESPACE,
  RULE_PREFIX,
  SCORE_PREFIX,
} from './policy-ports.ts';

const kind = (prefix: string, noun: string, without: DocumentKind['without']): DocumentKind => ({
  namespace: NAMESPACE,
  prefix,
  noun,
  without,
});

/** All documents of policies but messages. */
export const POLICY_DOCUMENTS: readonly DocumentKind[] = [
  keptDocuments(NAMESPACE, RULE_PREFIX, 'rule'),
  keptDocuments(NAMESPACE, LAST_RUN_PREFIX, 'last run of a rule'),
  keptDocuments(NAMESPACE, SCORE_PREFIX, 'score'),
  kind(FINDINGS_PREFIX, 'findings of a rule', withoutFindings),
  kind(EVALUATION_PREFIX, 'evaluation', withoutNotes),
  // That of a finding with an identity of its own is kept by a hash, and nobody can reach it any more.
  kind(DECISION_PREFIX, 'decision about a finding', (value, erasure, id) =>
    id.includes(erasure.id) ? undefined : erasure.redacted(value),
  ),
];

/** Whether a finding is about the entity, or about a group that has its id, or a name of it, in its label. */
export function isFindingOf(
  erasure: Erasure,
  { finding_id: findingId, label }: Pick<FindingNote, 'finding_id' | 'label'>,
): boolean {
  return findingId.includes(erasure.id) || label.includes(erasure.id) || erasure.isNamedIn(label);
}

function withoutFindings(value: unknown, erasure: Erasure): unknown {
  const entries = Object.entries(value as Readonly<Record<string, StoredFinding>>);
  const kept = entries.filter(
    ([findingId, finding]) =>
      storedEntityId(finding) !== erasure.id &&
      !isFindingOf(erasure, { finding_id: findingId, label: finding[1] }),
  );
  return kept.length === entries.length ? value : Object.fromEntries(kept);
}

/** The numbers stay: so many findings there were. */
function withoutNotes(value: unknown, erasure: Erasure): unknown {
  const evaluation = value as PastEvaluation;
  const others = (notes: readonly FindingNote[]): readonly FindingNote[] => {
    const kept = notes.filter((note) => !isFindingOf(erasure, note));
    return kept.length === notes.length ? notes : kept;
  };
  const results = evaluation.results.map((result) => {
    const [opened, resolved] = [others(result.new), others(result.resolved)];
    const isSame = opened === result.new && resolved === result.resolved;
    return isSame ? result : { ...result, new: opened, resolved };
  });
  const isSame = results.every((result, at) => result === evaluation.results[at]);
  return erasure.redacted(isSame ? value : { ...evaluation, results });
}
