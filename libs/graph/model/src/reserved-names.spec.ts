import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fieldOfProperty, propertyOfField } from './reserved-names.ts';

const name = fc
  .array(fc.constantFrom('properties.', '_', 'class', 'display_name', 'x', '.'), { maxLength: 4 })
  .map((parts) => parts.join(''));

describe('the field of a property', () => {
  it('is its own for each name, and no field of the record', () => {
    fc.assert(
      fc.property(name, (each) => {
        const field = fieldOfProperty(each);

        expect(propertyOfField(field)).toBe(each);
        expect(field).not.toMatch(/^_|^class$|^display_name$/);
      }),
    );
  });

  it('is the name of a property that is not reserved', () => {
    expect(['os', 'properties.os', 'type'].map(fieldOfProperty)).toEqual(['os', 'properties.os', 'type']);
    expect(fieldOfProperty('_module_name')).toBe('properties._module_name');
  });

  it('has no property where it is one of the record', () => {
    expect(['_key', 'class', 'display_name'].map(propertyOfField)).toEqual([undefined, undefined, undefined]);
  });
});
