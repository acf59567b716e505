import { type DocumentNode, type GraphQLError, Kind, parse, type ParseOptions, visit } from 'graphql';
import { limitError } from './limit-error.js';

/** Limits parsing and validation, before an operation can be measured. The introspection query has some 300 tokens. */
export const PARSE_OPTIONS: ParseOptions = { maxLexicalTokens: 2_000 };
/** The maximum length of a document; the limit of tokens does not cover long comments and strings. */
const MAX_DOCUMENT_LENGTH = 50_000;
/** The maximum number of each kind of node in a document, and its name in errors. */
const DOCUMENT_PARTS = [
  { kind: Kind.OPERATION_DEFINITION, most: 25, name: 'operations' },
  { kind: Kind.FRAGMENT_DEFINITION, most: 50, name: 'fragments' },
  { kind: Kind.FRAGMENT_SPREAD, most: 100, name: 'fragment spreads' },
  { kind: Kind.VARIABLE_DEFINITION, most: 50, name: 'variables' },
  { kind: Kind.DIRECTIVE, most: 50, name: 'directives' },
];
/** The maximum number of pairs of fields with the same name, which validation compares: about 140 fields of one name. */
const MAX_FIELD_PAIRS = 10_000;
/** Documents with fewer fields skip the checks before validation. */
const FEW_FIELDS = 100;

export const SPLIT_REMEDY = 'Send several documents, each with what it needs only.';

/** The maximum number of aliases of an operation. */
export const MAX_ALIASES = 20;

export const ALIAS_RULE = {
  measure: 'aliases',
  code: 'TOO_MANY_ALIASES',
  what: 'The operation has too many aliases',
  remedy: 'Use fewer aliases, or several operations.',
} as const;

/** Returns an error when a document is too long, or would take too long to validate. */
export function findDocumentError(source: unknown): GraphQLError | null {
  if (typeof source !== 'string') return null;
  if (source.length > MAX_DOCUMENT_LENGTH)
    return documentError('The document is too long', 'size', MAX_DOCUMENT_LENGTH, source.length);
  const document = isShort(source) ? undefined : parseQuietly(source);
  return document ? (findPartsError(document) ?? findPairsError(document)) : null;
}

/** Caches the result per document; Apollo reuses cached documents. */
const partsErrors = new WeakMap<DocumentNode, GraphQLError | null>();

/** Returns an error for the first kind of node that exceeds its maximum. */
export function findPartsError(document: DocumentNode): GraphQLError | null {
  const known = partsErrors.get(document);
  if (known !== undefined) return known;
  const error = countParts(document);
  partsErrors.set(document, error);
  return error;
}

function countParts(document: DocumentNode): GraphQLError | null {
  const counts = new Map<Kind, number>();
  visit(document, { enter: ({ kind }) => void counts.set(kind, (counts.get(kind) ?? 0) + 1) });
  const over = DOCUMENT_PARTS.find(({ kind, most }) => (counts.get(kind) ?? 0) > most);
  return over
    ? documentError(`The document has too many ${over.name}`, 'count', over.most, counts.get(over.kind) ?? 0)
    : null;
}

function findPairsError(document: DocumentNode): GraphQLError | null {
  const counts = new Map<string, number>();
  let aliases = 0;
  visit(document, {
    Field: ({ alias, name }) => {
      const key = (alias ?? name).value;
      if (alias) aliases += 1;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    },
  });
  const pairs = [...counts.values()].reduce((sum, count) => sum + (count * (count - 1)) / 2, 0);
  if (pairs <= MAX_FIELD_PAIRS) return null;
  if (aliases <= MAX_ALIASES)
    return documentError('The document asks for the same fields too often', 'number of pairs', MAX_FIELD_PAIRS, pairs);
  return limitError({ ...ALIAS_RULE, limit: MAX_ALIASES, actual: aliases });
}

/** Reports whether the document is so short that it needs no further checks, as nearly every document is. */
const isShort = (source: string): boolean => (source.match(/[\w$@.]+/g)?.length ?? 0) <= FEW_FIELDS;

/** Syntax errors are reported where the document is parsed for execution. */
function parseQuietly(source: string): DocumentNode | undefined {
  try {
    return parse(source, { ...PARSE_OPTIONS, noLocation: true });
  } catch {
    return undefined;
  }
}

function documentError(what: string, measure: string, limit: number, actual: number): GraphQLError {
  return limitError({ code: 'DOCUMENT_TOO_LARGE', what, measure, limit, actual, remedy: SPLIT_REMEDY });
}
