import 'reflect-metadata';

const REPEATABLE = 'armature:repeatable';

/** Marks a query parameter that may be repeated, in addition to comma-separated values; other parameters may occur once. */
export const Repeatable = (): PropertyDecorator => Reflect.metadata(REPEATABLE, true);

export const isRepeatable = (input: abstract new () => object, name: string): boolean =>
  Reflect.getMetadata(REPEATABLE, input.prototype as object, name) === true;
