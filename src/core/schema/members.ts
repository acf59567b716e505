import 'reflect-metadata';

const MEMBERS = 'armature:members';

/** Names the members of an object field, or of the objects in a list; others are faults of the request. */
export const HasMembers = (...names: readonly string[]): PropertyDecorator => Reflect.metadata(MEMBERS, names);

/** The names of the members of a field; undefined where any are allowed. */
export const getMembers = (input: object, name: string): readonly string[] | undefined =>
  Reflect.getMetadata(MEMBERS, input, name) as readonly string[] | undefined;
