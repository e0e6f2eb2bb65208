import type { FactoryProvider, Type } from '@nestjs/common';

/** The settings that a program gives to its libraries, by their classes. */
export class ProgramSettings {
  readonly #values = new Map<Type, object>();

  /** Adds those of one library. */
  with<Settings extends object>(type: Type<Settings>, value: Settings): this {
    this.#values.set(type, value);
    return this;
  }

  of<Settings extends object>(type: Type<Settings>): Settings | undefined {
    return this.#values.get(type) as Settings | undefined;
  }
}

/** Provides the settings of a library: those that the program has given, or the defaults of their class. */
export function settingsOf<Settings extends object>(type: Type<Settings>): FactoryProvider<Settings> {
  return {
    provide: type,
    inject: [{ token: ProgramSettings, optional: true }],
    useFactory: (program?: ProgramSettings) => program?.of(type) ?? new type(),
  };
}
