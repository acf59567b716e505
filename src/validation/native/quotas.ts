import { qualifiedName } from '../values/name-rules.js';
import { ResourceField, type FieldRule } from './resource-field.js';
import { amountOf } from './values.js';

const LIMIT_TYPES = ['Pod', 'Container', 'PersistentVolumeClaim'];
/** Pairs of fields of which the first must not exceed the second. */
const ORDER: [string, string][] = [
  ['min', 'max'],
  ['min', 'defaultRequest'],
  ['defaultRequest', 'max'],
  ['defaultRequest', 'default'],
  ['min', 'default'],
  ['default', 'max'],
];

export const resourceQuota: FieldRule = (place) => {
  for (const [name, amount] of place.at('spec', 'hard').entries) {
    const why = qualifiedName(name);
    if (why) amount.invalid(why);
    if ((amountOf(amount) ?? 0n) < 0n) amount.invalid('must be greater than or equal to 0');
  }
};

export const limitRange: FieldRule = (place) => {
  const limits = place.at('spec', 'limits').items;
  for (const limit of limits) {
    const type = limit.at('type');
    const why = qualifiedName(type.text);
    if (why) type.invalid(why);
    else if (!LIMIT_TYPES.includes(type.text) && !type.text.includes('/'))
      type.invalid('must be a standard limit type or fully qualified');
    if (type.text === 'Pod')
      for (const name of ['default', 'defaultRequest'])
        if (limit.at(name).entries.length > 0) limit.at(name).forbidden("may not be specified when `type` is 'Pod'");
    for (const [less, more] of ORDER) ordered(limit.at(less), limit.at(more), less, more);
    for (const [, ratio] of limit.at('maxLimitRequestRatio').entries)
      if ((amountOf(ratio) ?? 1_000_000_000n) < 1_000_000_000n) ratio.invalid('ratio is less than 1');
  }
  ResourceField.unique(limits.map((limit) => limit.at('type')));
};

function ordered(less: ResourceField, more: ResourceField, lessName: string, moreName: string): void {
  for (const [name, amount] of less.entries) {
    const [least, most] = [amountOf(amount), amountOf(more.at(name))];
    if (least !== undefined && most !== undefined && least > most)
      amount.invalid(`${lessName} value is greater than ${moreName} value ${more.at(name).shown}`);
  }
}
