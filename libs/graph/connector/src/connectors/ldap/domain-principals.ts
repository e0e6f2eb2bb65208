/** The entities of a domain by their security identifier, and those that are no entries of the directory. */
import type { EntityInput, EntityKey } from '#graph/model';
import type { StepContext } from '../../run/step.ts';
import { BASE_LABELS, domainName, KIND_OF_TYPE } from './domain-objects.ts';
import { namesIn } from './entry-values.ts';
import type { LdapConfig } from './ldap-config.ts';

/** Types of entities that are no entries: those of {@link DomainPrincipals}, and domains that are trusted. */
export const PRINCIPAL_TYPES = ['group', 'base', 'domain'];
/** Identities that every domain has, without an entry; all of them are groups of whoever signs in so. */
const WELL_KNOWN: ReadonlyMap<string, string> = new Map([
  ['S-1-1-0', 'Everyone'],
  ['S-1-2-0', 'Local'],
  ['S-1-5-1', 'Dialup'],
  ['S-1-5-2', 'Network'],
  ['S-1-5-3', 'Batch'],
  ['S-1-5-4', 'Interactive'],
  ['S-1-5-6', 'Service'],
  ['S-1-5-7', 'Anonymous'],
  ['S-1-5-9', 'Enterprise Domain Controllers'],
  ['S-1-5-11', 'Authenticated Users'],
  ['S-1-5-14', 'Remote Interactive Logon'],
  ['S-1-5-15', 'This Organization'],
]);

export class DomainPrincipals {
  readonly #context: StepContext<LdapConfig>;
  readonly #domain: string;
  readonly #bySid = new Map<string, EntityKey>();

  constructor(context: StepContext<LdapConfig>) {
    this.#context = context;
    this.#domain = domainName(context.config);
    for (const entity of entitiesOf(context)) {
      const [sid] = namesIn(entity, 'sid');
      if (sid !== undefined) this.#bySid.set(sid, { type: entity.type, key: entity.key });
    }
  }

  /** The entity of an identifier; one that is no entry is emitted. */
  at(sid: string): EntityKey {
    const known = this.#bySid.get(sid);
    if (known !== undefined) return known;
    const name = WELL_KNOWN.get(sid);
    const isGroup = name !== undefined;
    const key = isGroup ? `${this.#domain}-${sid}` : sid;
    const entity = { type: isGroup ? 'group' : 'base', key };
    this.#context.emitEntity({
      ...entity,
      class: isGroup ? 'Group' : 'Base',
      ...(isGroup && { labels: BASE_LABELS, display_name: name }),
      properties: { name, sid, objectid: key, domain: this.#domain },
    });
    this.#bySid.set(sid, entity);
    return entity;
  }
}

/** All entities of earlier steps that can have rights, or an access list. */
export function* entitiesOf(context: StepContext<unknown>): Generator<EntityInput> {
  for (const type of KIND_OF_TYPE.keys()) yield* context.entities(type);
}
