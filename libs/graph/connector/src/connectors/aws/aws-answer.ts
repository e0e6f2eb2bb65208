import { isJsonObject, type JsonObject } from '#graph/model';

/** The fields by which answers of the AWS CLI are known. */
export const AWS_ANSWERS = [
  'UserDetailList',
  'RoleDetailList',
  'GroupDetailList',
  'Reservations',
  'SecurityGroups',
  'Buckets',
  'Functions',
  'DBInstances',
  'cluster',
  'clusters',
  'Account',
  'Organization',
  'Roots',
  'Accounts',
  'OrganizationalUnits',
  'Children',
  'Parents',
  'Policies',
  'Policy',
  'Targets',
] as const;
export type AwsAnswer = (typeof AWS_ANSWERS)[number];

/** Names that nothing else uses; lists of the others may be of anything. */
const OWN_NAMES: readonly AwsAnswer[] = [
  'UserDetailList',
  'RoleDetailList',
  'GroupDetailList',
  'Reservations',
  'SecurityGroups',
  'DBInstances',
];
const ARN = /^arn:aws[a-z-]*:/;
/** Of a root, an organizational unit or an account. */
const PLACE_ID = /^(?:r-[a-z0-9]+|ou-[a-z0-9]+-[a-z0-9]+|\d{12})$/;

/** Whether a document is an answer that is read, by its field and what is in it. */
export function isAwsAnswer(document: JsonObject): boolean {
  return AWS_ANSWERS.some((field) => {
    const value = document[field];
    if (OWN_NAMES.includes(field)) return Array.isArray(value);
    if (field === 'Account') return typeof value === 'string' && ARN.test(String(document['Arn']));
    const first: unknown = Array.isArray(value) ? value[0] : value;
    return isJsonObject(first) && isOfAws(first);
  });
}

function isOfAws(thing: JsonObject): boolean {
  const isBucket = 'Name' in thing && 'CreationDate' in thing;
  const isPlace = 'Type' in thing && PLACE_ID.test(String(thing['Id'] ?? thing['TargetId']));
  return isBucket || isPlace || namesItself(thing) || Object.values(thing).some(namesItself);
}

function namesItself(thing: unknown): boolean {
  return (
    isJsonObject(thing) &&
    Object.entries(thing).some(([name, value]) => /arn$/i.test(name) && ARN.test(String(value)))
  );
}
