import { hasFormat } from '../values/text-formats.js';
import {
  prefixRule,
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  labelValue,
  type NameRule,
  qualifiedName,
} from '../values/name-rules.js';
import type { CelFunctions } from './run.js';
import { CelOpaque, CelOptional, PlainList } from './values.js';

const formatRule =
  (format: string, fault: string): NameRule =>
  (text) =>
    hasFormat(format, text) ? undefined : fault;

const RULES: Record<string, NameRule> = {
  dns1123Label: dnsLabel,
  dns1123Subdomain: dnsSubdomain,
  dns1035Label,
  qualifiedName,
  dns1123LabelPrefix: prefixRule(dnsLabel),
  dns1123SubdomainPrefix: prefixRule(dnsSubdomain),
  dns1035LabelPrefix: prefixRule(dns1035Label),
  labelValue,
  uri: formatRule('uri', 'invalid URI'),
  uuid: formatRule('uuid', 'does not match the UUID format'),
  byte: formatRule('byte', 'invalid base64'),
  date: formatRule('date', 'invalid date'),
  datetime: formatRule('datetime', 'invalid datetime'),
};

export const FORMAT_FUNCTIONS: CelFunctions = {
  ...Object.fromEntries(Object.keys(RULES).map((name) => [`format.${name}`, () => new CelOpaque('Format', name)])),
  'format.named': ([name]) => {
    if (typeof name !== 'string') return undefined;
    return Object.hasOwn(RULES, name) ? new CelOptional(new CelOpaque('Format', name)) : CelOptional.none;
  },
};

export const FORMAT_METHODS: CelFunctions = {
  /** `optional.none()` for valid text, otherwise the list of errors. */
  validate: ([format, text]) => {
    if (!(format instanceof CelOpaque) || format.type !== 'Format' || typeof text !== 'string') return undefined;
    const fault = RULES[String(format.content)]?.(text);
    return fault === undefined ? CelOptional.none : new CelOptional(new PlainList([fault]));
  },
};
