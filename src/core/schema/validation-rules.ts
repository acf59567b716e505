import { getMetadataStorage } from 'class-validator';

type Rules = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>;
let areKept = false;

type Find = ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas'];

/**
 * Makes class-validator cache the rules of each class, which it otherwise collects from the class and its ancestors
 * on every validation. All decorators have run before the first input arrives.
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
