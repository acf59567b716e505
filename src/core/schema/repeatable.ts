import 'reflect-metadata';

const REPEATABLE = 'armature:repeatable';

/** Marks a query parameter that may be given several times, beside several words with commas; any other is given once. */
export const Repeatable = (): PropertyDecorator => Reflect.metadata(REPEATABLE, true);

export const isRepeatable = (input: abstract new () => object, name: string): boolean =>
  Reflect.getMetadata(REPEATABLE, input.prototype as object, name) === true;
