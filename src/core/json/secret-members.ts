import { isObject, type Json } from './json.js';
import { toPointer } from './json-pointer.js';
import { maskUrl, REDACTED } from './url-secrets.js';

/** Names of members that contain secrets; names that only describe a secret do not match. */
const SECRET_NAME =
  /passw(or)?d|passphrase|\bpwd\b|secret|token|api[-_]?key|private[-_]?key|access[-_]?key|authorization|credential/i;
const KEY_NAME = /(^|[-_.])key$|[a-z]Key$/;
const ABOUT_A_SECRET = /(_at|_by|_ids?|names?)$|^public/i;

/** Whether a member of an object contains a secret, by its name. */
export const isSecretMember = (name: string, member: unknown): boolean =>
  member !== null &&
  typeof member !== 'boolean' &&
  (SECRET_NAME.test(name) || KEY_NAME.test(name)) &&
  !ABOUT_A_SECRET.test(name);

/** What is hidden of a value, by pointer. */
export type HiddenMembers = Record<string, Json>;

/** The value with its secret members masked: those with such a name, and user info and queries of URLs; and what is masked. */
export function maskMembers(value: Json): { shown: Json; hidden: HiddenMembers } {
  const hidden: HiddenMembers = {};
  const hide = (at: string, from: Json, to: Json): Json => {
    if (from !== to) hidden[at] = from;
    return to;
  };
  const mask = (one: Json, at: string): Json => {
    if (typeof one === 'string') return hide(at, one, maskUrl(one));
    if (Array.isArray(one)) return one.map((item, index) => mask(item, at + toPointer(index)));
    if (!isObject(one)) return one;
    const members = Object.entries(one).map(([name, member]): [string, Json] => {
      const pointer = at + toPointer(name);
      return [name, isSecretMember(name, member) ? hide(pointer, member, REDACTED) : mask(member, pointer)];
    });
    return Object.fromEntries(members);
  };
  return { shown: mask(value, ''), hidden };
}

/** The value in which members that are still masked as in `shown` have their hidden values again. */
export function unmaskMembers(value: Json, shown: Json, hidden: HiddenMembers): Json {
  const unmask = (one: Json, mask: Json | undefined, at: string): Json => {
    const kept = Object.hasOwn(hidden, at) ? hidden[at] : undefined;
    if (kept !== undefined && one === mask) return kept;
    if (Array.isArray(one))
      return one.map((item, index) =>
        unmask(item, Array.isArray(mask) ? mask[index] : undefined, at + toPointer(index)),
      );
    if (!isObject(one)) return one;
    const members = Object.entries(one).map(([name, member]): [string, Json] => [
      name,
      unmask(member, isObject(mask) ? mask[name] : undefined, at + toPointer(name)),
    ]);
    return Object.fromEntries(members);
  };
  return unmask(value, shown, '');
}
