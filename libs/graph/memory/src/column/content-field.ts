/** Fields of an entity's content, as queries name them. */
import { type EntityInput, type FieldValue, type Properties, propertyOfField } from '#graph/model';
import { LABELS_FIELD } from './labels-field.ts';

/** The property that a field reads. */
export function propertyIn(properties: Properties, field: string): FieldValue {
  const name = propertyOfField(field);
  return name !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** A field of the content. */
export function inputField(input: EntityInput, field: string): FieldValue {
  switch (field) {
    case 'class':
    case '_class':
      return input.class;
    case 'display_name':
      return input.displayName;
    case '_type':
      return input.type;
    case LABELS_FIELD:
      return input.labels;
    case '_key':
      return input.key;
    default:
      return propertyIn(input.properties, field);
  }
}
