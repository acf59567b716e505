import { isObject, asText } from '../../core/json/json.js';
import { parseIp } from '../values/ip-address.js';
import { labelValue, portName, qualifiedName } from '../values/name-rules.js';
import { parseQuantity } from '../values/quantity.js';
import type { ResourceField } from './resource-field.js';

const OF_LISTS = ['In', 'NotIn'];
const OF_PRESENCE = ['Exists', 'DoesNotExist'];
const PERCENT = /^\d+%$/;

/** Checks a port given by number or name. */
export function portNumberOrName(place: ResourceField): void {
  if (typeof place.value === 'number') place.within(1, 65535);
  else place.named(portName);
}

/** Checks an int-or-string that is a number or a percentage. */
export function countOrPercent(place: ResourceField, mostPercent = Infinity): void {
  if (typeof place.value === 'number') place.within(0);
  else if (typeof place.value === 'string') {
    if (!PERCENT.test(place.value))
      place.invalid("a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%')");
    else if (parseInt(place.value, 10) > mostPercent) place.invalid('must not be greater than 100%');
  }
}

export function isZeroCount(place: ResourceField): boolean {
  return place.value === 0 || (typeof place.value === 'string' && /^0+%$/.test(place.value));
}

/** A quantity in billionths; undefined for an invalid one. */
export function amountOf(place: ResourceField): bigint | undefined {
  const quantity = parseQuantity(typeof place.value === 'number' ? String(place.value) : place.text);
  return typeof quantity === 'string' ? undefined : quantity.nanos;
}

export function ipAddress(place: ResourceField): void {
  if (place.text !== '' && !parseIp(place.text, true))
    place.invalid('must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');
}

/** Checks the keys and values of labels. */
export function labels(place: ResourceField): void {
  for (const [key, value] of place.entries) {
    const why = qualifiedName(key);
    if (why) place.invalid(why);
    value.named(labelValue);
  }
}

/** Checks a LabelSelector. */
export function labelSelector(place: ResourceField): void {
  labels(place.at('matchLabels'));
  for (const expression of place.at('matchExpressions').items) {
    const operator = expression.at('operator');
    const values = expression.at('values');
    expression.at('key').requiredName(qualifiedName);
    if (OF_LISTS.includes(operator.text)) values.required("must be specified when `operator` is 'In' or 'NotIn'");
    else if (!OF_PRESENCE.includes(operator.text)) operator.invalid('not a valid selector operator');
    else if (values.isGiven) values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    for (const value of values.items) value.named(labelValue);
  }
}

export function isEmptySelector(place: ResourceField): boolean {
  return !place.at('matchLabels').entries.length && !place.at('matchExpressions').isGiven;
}

/** Whether a LabelSelector matches these labels. */
export function selects(selector: ResourceField, chosen: ResourceField): boolean {
  const known = isObject(chosen.value) ? chosen.value : {};
  const value = (key: string): string | undefined => (Object.hasOwn(known, key) ? asText(known[key]) : undefined);
  const holds = (expression: ResourceField): boolean => {
    const found = value(expression.at('key').text);
    const isListed = expression.at('values').items.some((item) => item.text === found);
    if (expression.at('operator').text === 'In') return found !== undefined && isListed;
    if (expression.at('operator').text === 'NotIn') return found === undefined || !isListed;
    return (expression.at('operator').text === 'Exists') === (found !== undefined);
  };
  return (
    selector.at('matchLabels').entries.every(([key, member]) => value(key) === member.text) &&
    selector.at('matchExpressions').items.every(holds)
  );
}
