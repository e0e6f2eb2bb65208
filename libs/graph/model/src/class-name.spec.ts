import { describe, expect, it } from '@jest/globals';
import {
  completeEntity,
  defaultClass,
  isKnownClass,
  isKnownVerb,
  KNOWN_CLASSES,
  KNOWN_VERBS,
} from './class-name.ts';

describe('defaultClass', () => {
  it.each([
    ['host', 'Host'],
    ['aws_s3_bucket', 'AwsS3Bucket'],
    ['edr-agent', 'EdrAgent'],
    ['DataStore', 'DataStore'],
    ['größe', 'Größe'],
    ['éclair_au_café', 'ÉclairAuCafé'],
    ['--', '--'],
  ])('of %s is %s', (type, expected) => {
    expect(defaultClass(type)).toBe(expected);
  });
});

describe('completeEntity', () => {
  it('derives the class from the type and the display name from the key', () => {
    const entity = completeEntity({ type: 'host', key: 'web-01', properties: {} });

    expect(entity).toEqual({
      type: 'host',
      key: 'web-01',
      class: 'Host',
      displayName: 'web-01',
      properties: {},
    });
  });
});

describe('vocabulary', () => {
  it('contains about 40 classes and 25 verbs', () => {
    expect(KNOWN_CLASSES.size).toBeGreaterThanOrEqual(40);
    expect(KNOWN_VERBS.size).toBeGreaterThanOrEqual(25);
  });

  it('has its verbs in upper case, as they are compared', () => {
    expect([...KNOWN_VERBS].filter((verb) => verb !== verb.toUpperCase())).toEqual([]);
    expect(isKnownVerb('depends_on')).toBe(true);
  });

  it('is case-sensitive about classes', () => {
    expect(isKnownClass('Host')).toBe(true);
    expect(isKnownClass('host')).toBe(false);
  });
});
