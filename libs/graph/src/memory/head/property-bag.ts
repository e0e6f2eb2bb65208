import type { PropertyValue } from '#model';

/** The same shape as the model's, which a worker that runs from source cannot import. */
class PropertyBag {
  [name: string]: PropertyValue;
}
Object.setPrototypeOf(PropertyBag.prototype, null);
Reflect.deleteProperty(PropertyBag.prototype, 'constructor');

/** An empty object that inherits no names. */
export function createProperties(): Record<string, PropertyValue> {
  return new PropertyBag();
}
