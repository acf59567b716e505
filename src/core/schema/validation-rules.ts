import { getMetadataStorage } from 'class-validator';

type Rules = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>;
let areKept = false;

type Find = ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas'];

/**
 * Lets class-validator keep the rules of a class: it gathers those of the class and of all above it at each validation otherwise.
 * Decorators have declared them all before the first input arrives.
 */
export function keepValidationRules(): void {
  if (areKept) return;
  areKept = true;
  const storage = getMetadataStorage();
  const find: Find = storage.getTargetValidationMetadatas.bind(storage);
  const kept = new WeakMap<object, Map<string, Rules>>();
  storage.getTargetValidationMetadatas = (target, schema, always, strictGroups, groups) => {
    if (groups && groups.length > 0) return find(target, schema, always, strictGroups, groups);
    const ofTarget = kept.get(target) ?? new Map<string, Rules>();
    kept.set(target, ofTarget);
    const key = `${schema} ${always} ${strictGroups}`;
    const rules = ofTarget.get(key) ?? find(target, schema, always, strictGroups, groups);
    ofTarget.set(key, rules);
    return rules;
  };
}
