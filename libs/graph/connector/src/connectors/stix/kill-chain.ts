import { FieldPath, type JsonObject } from '#graph/model';
import { objectsIn, scalarText, textIn, textOr } from '../document/json-text.ts';

const TACTIC = 'x-mitre-tactic';

interface Phase {
  readonly chain: string;
  readonly phase: string;
}

interface Tactic {
  readonly id: string;
  readonly shortName: string;
  /** Kill chains of its domains: ATT&CK's `ics-attack` is the chain `mitre-ics-attack`. */
  readonly chains: readonly string[];
}

/** The tactics of a bundle. A kill-chain phase is the tactic with that short name, if there are tactics. */
export class KillChain {
  readonly #tactics: readonly Tactic[];

  constructor(objects: Iterable<JsonObject>) {
    this.#tactics = [...objects].flatMap((object) => {
      const { type, id, x_mitre_domains: domains } = object;
      const shortName = textOr(object, 'x_mitre_shortname');
      if (type !== TACTIC || typeof id !== 'string' || shortName === undefined) return [];
      const names: readonly unknown[] = Array.isArray(domains) ? domains : [];
      return [{ id, shortName, chains: names.map(chainOf) }];
    });
  }

  /** The tactics of an object, and its phases that are none. */
  tacticsOf(object: JsonObject): { readonly ids: readonly string[]; readonly lost: readonly Phase[] } {
    const ids = new Set<string>();
    const lost: Phase[] = [];
    if (this.#tactics.length === 0) return { ids: [], lost };
    for (const each of phasesOf(object)) {
      const named = this.#tactics.filter(({ shortName }) => shortName === each.phase);
      const ofChain = named.filter(({ chains }) => chains.includes(each.chain));
      const found = ofChain.length > 0 ? ofChain : named.length === 1 ? named : [];
      if (found.length === 0) lost.push(each);
      for (const { id } of found) ids.add(id);
    }
    return { ids: [...ids], lost };
  }
}

export function phaseProperties(object: JsonObject): Readonly<Record<string, unknown>> {
  const phases = phasesOf(object);
  if (phases.length === 0) return {};
  return {
    kill_chain_phases: [...new Set(phases.map(({ phase }) => phase))],
    kill_chains: [...new Set(phases.map(({ chain }) => chain))],
  };
}

function phasesOf(object: JsonObject): readonly Phase[] {
  const path = new FieldPath(`object ${scalarText(object['id'])}`);
  return objectsIn(object, 'kill_chain_phases', path).map((phase) => ({
    chain: textIn(phase, 'kill_chain_name', path),
    phase: textIn(phase, 'phase_name', path),
  }));
}

function chainOf(domain: unknown): string {
  return domain === 'enterprise-attack' ? 'mitre-attack' : `mitre-${scalarText(domain)}`;
}
