import type { LicenceTexts } from '../bill-builder.ts';
import type { BillValues, Placed } from '../bill-values.ts';
import { said } from '../component-name.ts';

const LISTED = /^https?:\/\/spdx\.org\/licenses\/([^/#]+?)(?:\.html)?$/;
const UNSAID = /(?:NoAssertion|None)(?:License|Element)?$/;

/** The licences of each package, by its id: in SPDX 3, relationships lead from packages to licences. */
export function licencesOf(
  elements: readonly Placed[],
  byId: ReadonlyMap<string, Placed>,
  values: BillValues,
): ReadonlyMap<string, LicenceTexts> {
  const declared = new Map<string, string[]>();
  const concluded = new Map<string, string[]>();
  for (const element of elements) {
    const { relationshipType: type, from } = element.value;
    const found =
      type === 'hasDeclaredLicense' ? declared : type === 'hasConcludedLicense' ? concluded : undefined;
    if (found === undefined || typeof from !== 'string') continue;
    const names = values
      .texts(element, 'to')
      .texts.flatMap((target) => licenceName(target, byId.get(target), values) ?? []);
    found.set(from, [...(found.get(from) ?? []), ...names]);
  }
  const ofPackage = (id: string): LicenceTexts => ({
    declared: declared.get(id) ?? [],
    concluded: concluded.get(id) ?? [],
  });
  return new Map([...declared.keys(), ...concluded.keys()].map((id) => [id, ofPackage(id)]));
}

/** The expression, or the name, of a licence; a listed one may only be referred to. */
function licenceName(id: string, element: Placed | undefined, values: BillValues): string | undefined {
  if (UNSAID.test(id)) return undefined;
  if (element === undefined) return LISTED.exec(id)?.[1];
  const fields = ['simplelicensing_licenseExpression', 'name', 'spdxId'];
  const [text] = fields.flatMap((field) => values.text(element, field) ?? []);
  return said(text);
}
