import { isObject, type Json, type JsonObject } from '../../core/json/json.js';

/** `access Control` is the display form of the field `accessControl`. */
const SPACED_NAME = /^[a-z][A-Za-z0-9]*(?: [A-Z][A-Za-z0-9]*)+$/;
/** Maps whose keys are data and not field names. */
const FREE_KEYS = new Set(['labels', 'annotations', 'matchLabels', 'data', 'stringData', 'binaryData', 'nodeSelector']);

/** An object with its field names as Kubernetes spells them, at every depth; the object itself when no name is in display form. */
export function restoreFieldNames(value: JsonObject): JsonObject {
  let isChanged = false;
  const taken = new Set(Object.keys(value));
  const entries = Object.entries(value).map(([key, member]): [string, Json] => {
    const plain = SPACED_NAME.test(key) ? key.replaceAll(' ', '') : key;
    const name = taken.has(plain) ? key : plain;
    taken.add(name);
    const restored = FREE_KEYS.has(plain) ? member : restoreMembers(member);
    isChanged ||= name !== key || restored !== member;
    return [name, restored];
  });
  return isChanged ? Object.fromEntries(entries) : value;
}

function restoreMembers(value: Json): Json {
  if (isObject(value)) return restoreFieldNames(value);
  if (!Array.isArray(value)) return value;
  const items = value.map(restoreMembers);
  return items.some((item, index) => item !== value[index]) ? items : value;
}
