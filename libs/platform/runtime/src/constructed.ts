import type { Abstract, FactoryProvider, Type } from '@nestjs/common';

/** A class, or the name under which something without a class is provided. */
export type Token<Value> = Type<Value> | Abstract<Value> | string | symbol;

type Tokens<Values extends readonly unknown[]> = {
  readonly [Index in keyof Values]: Token<Values[Index]>;
};

/**
 * Provides a class by its constructor, whose parameters the tokens name in their order, as `@Inject` at each
 * parameter does. For classes that programs without Nest construct too: their files must not load it. The
 * types of the tokens are checked.
 */
export function constructed<Built, Values extends readonly unknown[]>(
  type: new (...dependencies: Values) => Built,
  inject: NoInfer<Tokens<Values>>,
): FactoryProvider<Built> {
  return {
    provide: type,
    inject: [...inject],
    useFactory: (...dependencies: Values) => new type(...dependencies),
  };
}
