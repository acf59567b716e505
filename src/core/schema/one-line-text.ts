import 'reflect-metadata';
import { isEmail, ValidateBy } from 'class-validator';
import { domainToASCII } from 'node:url';
import { trimText } from '../trim-text.js';

const ONE_LINE = 'armature:one-line';

/** Spaces, and characters without width, which no reader sees at an end. Joiners and variation selectors belong to what they follow. */
const OUTER = /[\s\u200B\u2060\uFEFF]/;
/** Longer texts are refused by every field of one line. */
const MAX_LENGTH = 2_000;
const FORBIDDEN = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u;
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}\p{Cf}\p{Z}]/u;
const BROKEN = '\\u0000-\\u001F\\u007F-\\u009F\\u2028-\\u202E\\u2066-\\u2069';
const INVISIBLE = '\\s\\u00AD\\u200B-\\u200F\\u2060-\\u2064\\uFEFF';
/** What a schema says of names; of characters without width it names the usual ones. */
export const NAME_PATTERN = `^[^${BROKEN}]*[^${BROKEN}${INVISIBLE}][^${BROKEN}]*$`;
export const OPTIONAL_NAME_PATTERN = `^(?:[^${BROKEN}]*[^${BROKEN}${INVISIBLE}][^${BROKEN}]*)?$`;
/** What an address must not have: it looks like another one. */
const FORBIDDEN_IN_ADDRESS = /[\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\uFF01-\uFF60\uFFE0-\uFFE6]/u;

/** The form in which one-line texts are stored and compared: composed (NFC), without outer space. */
export function normalizeText(text: string): string {
  return text.length > MAX_LENGTH ? text : trimText(text.normalize('NFC'), OUTER);
}

/** The form in which addresses are stored and compared: in small letters, with the domain in ASCII. */
export function normalizeEmail(email: string): string {
  const text = normalizeText(email).toLowerCase();
  const at = text.lastIndexOf('@') + 1;
  return text.slice(0, at) + (domainToASCII(text.slice(at)) || text.slice(at));
}

/** Reports whether mail can reach this address, and no reader takes it for another one. */
export function isEmailAddress(email: string): boolean {
  return !FORBIDDEN_IN_ADDRESS.test(normalizeText(email)) && isEmail(normalizeEmail(email));
}

/** Why a text is no name; undefined for a name. */
export function findNameFault(text: string): string | undefined {
  if (FORBIDDEN.test(text)) return 'must not have control characters, line breaks or bidirectional overrides';
  return VISIBLE.test(text) ? undefined : 'must not be empty';
}

/** Marks a text of an input as one line, which `normalizeInput` normalizes before it is validated. */
export const OneLine = (): PropertyDecorator => (target, key) => Reflect.defineMetadata(ONE_LINE, true, target, key);

/** Validates a name; of an empty optional text nothing is required. */
export const IsName = ({ allowEmpty = false } = {}): PropertyDecorator => {
  const findFault = (value: unknown) =>
    typeof value !== 'string' || (allowEmpty && value === '') ? undefined : findNameFault(value);
  return ValidateBy({
    name: 'isName',
    validator: {
      validate: (value) => findFault(value) === undefined,
      defaultMessage: (context) => findFault(context?.value) ?? '',
    },
  });
};

export const IsEmailAddress = (): PropertyDecorator =>
  ValidateBy({
    name: 'isEmailAddress',
    validator: {
      validate: (value) => typeof value === 'string' && isEmailAddress(value),
      defaultMessage: () => 'must be an e-mail address',
    },
  });

const ID_NAME = /ids?$/i;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const toStoredId = (value: unknown): unknown =>
  typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : value;

/** A value of an input in the form in which it is stored: ids in small letters, one-line texts normalized. */
export function normalizeInput(input: object, name: string, value: unknown): unknown {
  if (ID_NAME.test(name)) return Array.isArray(value) ? value.map(toStoredId) : toStoredId(value);
  const isOneLine = typeof value === 'string' && Reflect.hasMetadata(ONE_LINE, input, name);
  return isOneLine ? normalizeText(value) : value;
}
