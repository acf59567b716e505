import type { ErrorObject, FuncKeywordDefinition } from 'ajv';
import { findCertificateFault } from '../../core/crypto/certificates.js';
import type { Fault } from '../../core/errors/app-error.js';

/** Maximum length of schema values, or of input, that a fault repeats, in characters. */
const MAX_CHARACTERS = 200;

/** Descriptions of the patterns in the schemas of this server. */
const PATTERNS: Record<string, { detail: string; remedy: string }> = {
  '^https?://': { detail: 'must be an http or https address', remedy: 'Write it as in https://example.org.' },
  '^[\\x21-\\x7e]+$': {
    detail: 'must have no spaces, line breaks or characters beyond ASCII',
    remedy: 'Send the token as it was issued, without quotes or line breaks.',
  },
  '^[^:]*$': { detail: 'must have no colon', remedy: 'Send the name of the user alone, without the password.' },
};

const FORMATS: Record<string, string> = {
  uri: 'https://example.org',
  email: 'person@example.org',
  'date-time': '2026-01-31T12:00:00Z',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
};

const CERTIFICATES_KEYWORD = 'certificates';
const CERTIFICATES_REMEDY =
  'Send each certificate from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----, with its line breaks, and no private key.';

/** The keyword of a text that has certificates in PEM. A private key by mistake would be shown to whoever sees the metadata. */
export const certificatesKeyword: FuncKeywordDefinition = {
  keyword: CERTIFICATES_KEYWORD,
  type: 'string',
  schemaType: 'boolean',
  errors: 'full',
  compile: () =>
    function validate(pem: string): boolean {
      const message = /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)
        ? 'must not have a private key'
        : findCertificateFault(pem);
      const error = { keyword: CERTIFICATES_KEYWORD, message: message ?? '', params: {} };
      Object.assign(validate, { errors: message === null ? null : [error] });
      return message === null;
    },
};

/** Converts schema errors to faults, each once and at its field, with a remedy; values of the input are never repeated. */
export function toFaults(errors: readonly ErrorObject[], at: string): Fault[] {
  const faults = errors.filter(({ keyword }) => !COMPOSITE_KEYWORDS.has(keyword)).map((error) => toFault(error, at));
  const listed = faults.length > 0 ? faults : errors.map((error) => toFault(error, at));
  return [...new Map(listed.map((fault) => [`${fault.pointer} ${fault.detail}`, fault])).values()];
}

/** Keywords that only report a fault within them. */
const COMPOSITE_KEYWORDS = new Set(['if', 'anyOf', 'oneOf', 'allOf']);

function toFault({ keyword, instancePath, params, message }: ErrorObject, at: string): Fault {
  const here = at + instancePath;
  const given = params as Record<string, unknown>;
  const says = (detail: string, remedy: string): Fault => ({ pointer: here, detail, remedy });
  const param = (name: string): string => text(given[name]);
  switch (keyword) {
    case 'required':
      return says(`needs ${param('missingProperty')}`, `Add ${param('missingProperty')}.`);
    case 'dependencies':
    case 'dependentRequired':
      return says(`needs ${param('missingProperty')} beside ${param('property')}`, `Add ${param('missingProperty')}.`);
    case 'additionalProperties':
      return says(`does not take ${param('additionalProperty')}`, `Leave it out: ${KINDS_PATH} lists the fields.`);
    case 'type':
      return says(`must be ${describeType(given['type'])}`, `Send ${describeType(given['type'])}.`);
    case 'enum':
      return says(`must be one of ${list(given['allowedValues'])}`, 'Send one of these.');
    case 'const':
      return says(`must be ${text(given['allowedValue'])}`, 'Send exactly this.');
    case 'pattern':
      return { pointer: here, ...describePattern(param('pattern')) };
    case 'format':
      return says(`must be a valid ${param('format')}`, `Write it as in ${exampleOf(param('format'))}.`);
    case CERTIFICATES_KEYWORD:
      return says(message ?? '', CERTIFICATES_REMEDY);
    case 'minLength':
      return says(`must have at least ${param('limit')} characters`, 'Send a longer text.');
    case 'maxLength':
      return says(`must have at most ${param('limit')} characters`, 'Send a shorter text.');
    default:
      return says(message ?? `breaks the rule ${keyword} of its schema`, 'See the schema of the kind.');
  }
}

const KINDS_PATH = 'GET /api/integrations/connections/kinds';

const describePattern = (pattern: string): { detail: string; remedy: string } =>
  PATTERNS[pattern] ?? { detail: `must match ${pattern}`, remedy: 'Write it in this form.' };

const exampleOf = (format: string): string => FORMATS[format] ?? 'the standard of that format';

const TYPE_NAMES: Record<string, string> = {
  object: 'an object',
  array: 'a list',
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

function describeType(type: unknown): string {
  return [type]
    .flat()
    .map((name) => TYPE_NAMES[text(name)] ?? text(name))
    .join(' or ');
}

function list(values: unknown): string {
  return Array.isArray(values) ? values.map(text).join(', ').slice(0, MAX_CHARACTERS) : '';
}

function text(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, MAX_CHARACTERS);
}
