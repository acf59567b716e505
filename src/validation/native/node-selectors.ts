import { labelValue, qualifiedName } from '../values/name-rules.js';
import type { ResourceField } from './resource-field.js';

/** Checks a NodeSelector. */
export function nodeSelector(selector: ResourceField): void {
  const terms = selector.at('nodeSelectorTerms');
  terms.required('must have at least one node selector term');
  for (const term of terms.items) nodeTerm(term);
}

/** Checks a NodeSelectorTerm. */
export function nodeTerm(term: ResourceField): void {
  for (const expression of term.at('matchExpressions').items) {
    const [operator, values] = [expression.at('operator'), expression.at('values')];
    expression.at('key').requiredName(qualifiedName);
    const count = values.items.length;
    if (!['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'].includes(operator.text))
      operator.invalid('not a valid selector operator');
    else if (['In', 'NotIn'].includes(operator.text) && count === 0)
      values.required("must be specified when `operator` is 'In' or 'NotIn'");
    else if (['Gt', 'Lt'].includes(operator.text) && count !== 1)
      values.required("must be specified single value when `operator` is 'Lt' or 'Gt'");
    else if (['Exists', 'DoesNotExist'].includes(operator.text) && count > 0)
      values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    for (const value of values.items) value.named(labelValue);
  }
}
