import { isObject, type Json } from '../../core/json/json.js';
import { toPointer } from '../../core/json/json-pointer.js';
import type { StepBudget } from '../schema/step-budget.js';
import { type Findings, invalidValue } from '../schema/findings.js';
import { checkItemKeys, checkListType } from './list-types.js';
import { dns1035Label, pathSegment } from '../values/name-rules.js';
import { checkObjectMeta } from './object-meta.js';
import type { SchemaNode } from '../schema/schema-node.js';

/** Checks `x-kubernetes-list-type` and `x-kubernetes-embedded-resource` of a value and its descendants. */
export function checkStructure(
  value: Json,
  node: SchemaNode,
  at: string,
  findings: Findings,
  budget: StepBudget,
): void {
  budget.spend(1);
  if (Array.isArray(value)) {
    checkListType(value, node, at, findings);
    const items = node.items;
    if (items)
      for (const [index, item] of value.entries()) checkStructure(item, items, at + toPointer(index), findings, budget);
    return;
  }
  if (!isObject(value)) return;
  if (node.embeds && at !== '') checkEmbeddedResource(value, at, findings);
  const additional = node.additional;
  for (const [name, member] of Object.entries(value)) {
    const schema = node.property(name) ?? (typeof additional === 'object' ? additional : undefined);
    if (schema) checkStructure(member, schema, at + toPointer(name), findings, budget);
  }
}

/** Checks that lists of a built-in type with keys have each key once, at any depth. */
export function checkRepeatedItems(
  value: Json,
  node: SchemaNode,
  at: string,
  findings: Findings,
  budget: StepBudget,
): void {
  budget.spend(1);
  if (Array.isArray(value)) {
    checkItemKeys(value, node, at, findings);
    const items = node.items;
    if (items)
      for (const [index, item] of value.entries())
        checkRepeatedItems(item, items, at + toPointer(index), findings, budget);
  } else if (isObject(value))
    for (const [name, member] of Object.entries(value)) {
      const schema = node.property(name);
      if (schema) checkRepeatedItems(member, schema, at + toPointer(name), findings, budget);
    }
}

function checkEmbeddedResource(value: Record<string, Json>, at: string, findings: Findings): void {
  const { apiVersion, kind } = value;
  const report = (name: string, detail: string): void =>
    findings.error(`${at}/${name}`, 'x-kubernetes-embedded-resource', detail);
  for (const name of ['apiVersion', 'kind']) {
    const member = value[name];
    if (member === undefined) report(name, 'Required value');
    else if (typeof member !== 'string') report(name, invalidValue(member, 'must be a string'));
    else if (member === '') report(name, invalidValue(member, 'must not be empty'));
  }
  if (typeof apiVersion === 'string' && apiVersion.split('/').length > 2)
    report('apiVersion', invalidValue(apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  const ofKind = typeof kind === 'string' && kind !== '' ? dns1035Label(kind.toLowerCase()) : undefined;
  if (ofKind) report('kind', invalidValue(kind, `may have mixed case, but should otherwise match: ${ofKind}`));
  checkObjectMeta(value['metadata'], `${at}/metadata`, { name: pathSegment, mustBeNamed: false }, findings);
}
