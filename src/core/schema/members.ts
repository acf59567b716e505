import 'reflect-metadata';

const MEMBERS = 'armature:members';
const RULES = 'armature:member-rules';

/** Why a member is wrong; undefined when it is not. */
export type MemberRule = (value: unknown) => string | undefined;

/** Names the members of an object field, or of the objects in a list; others are faults of the request. */
export const HasMembers = (...names: readonly string[]): PropertyDecorator => Reflect.metadata(MEMBERS, names);

/** As `HasMembers`, with the rule of each member, so that all faults of a request are reported together. */
export const HasCheckedMembers =
  (rules: Readonly<Record<string, MemberRule>>): PropertyDecorator =>
  (target, key) => {
    HasMembers(...Object.keys(rules))(target, key);
    Reflect.defineMetadata(RULES, rules, target, key);
  };

export const getMemberRule = (input: object, name: string, member: string): MemberRule | undefined =>
  (Reflect.getMetadata(RULES, input, name) as Readonly<Record<string, MemberRule>> | undefined)?.[member];

/** The names of the members of a field; undefined where any are allowed. */
export const getMembers = (input: object, name: string): readonly string[] | undefined =>
  Reflect.getMetadata(MEMBERS, input, name) as readonly string[] | undefined;
