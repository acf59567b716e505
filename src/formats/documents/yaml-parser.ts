import { Composer, type CST, type Document, Parser } from 'yaml';
import { SKIPPED, tolerantLexer } from '../../core/patches/yaml/tolerant-lexer.js';
import { DocumentBuilder } from './document-builder.js';
import { type FormatLimits } from '../sources/format-limits.js';
import type { LocatedData } from './located-document.js';
import { isTemplate, TEMPLATE_DETAIL, TEMPLATE_REMEDY } from './template-text.js';
import { YamlConverter } from './yaml-converter.js';
import { type YamlDialect } from './yaml-scalar.js';
import { TokenBudget } from './token-budget.js';

const REMEDIES: Record<string, string> = {
  TAB_AS_INDENT: 'Indent with spaces.',
  BAD_INDENT: 'Align this line with its siblings.',
  BAD_DQ_ESCAPE: 'Double the backslash, or use single quotes.',
  MULTILINE_IMPLICIT_KEY: 'Close the quotes or brackets, and check the indentation.',
  BAD_SCALAR_START: 'Quote the value.',
  BLOCK_AS_IMPLICIT_KEY: 'Quote the value if it holds ": ".',
};
const DEFAULT_REMEDY = 'Correct the YAML at this place.';
const MALFORMED = { pos: [0, 0], code: '', message: 'is not YAML' } as const;

/**
 * Reads a stream of YAML documents with positions; empty documents are left out but counted.
 * Local tags (`!reset`) are kept beside the value. Throws InvalidRequest with every fault of the stream at its end; earlier documents must then be discarded.
 */
export function* parseYaml(
  file: string,
  text: string,
  dialect: YamlDialect,
  limits: FormatLimits,
): Generator<LocatedData> {
  const builder = new DocumentBuilder(file, text, limits, dialect);
  let number = 0;
  for (const document of compose(text, builder)) {
    number += 1;
    if (number > limits.documents) {
      const [start] = document.range ?? [0];
      builder.addFault(start, `has more than ${limits.documents} documents`, 'Split the file.');
      break;
    }
    if (document.errors.length > 0) {
      // Further errors of a document are usually consequences of its first.
      const [{ pos, code, message } = MALFORMED] = document.errors;
      const offset = Math.min(pos[0], text.length);
      if (isTemplate(text, offset)) builder.addFault(offset, TEMPLATE_DETAIL, TEMPLATE_REMEDY);
      else builder.addFault(offset, message, REMEDIES[code] ?? DEFAULT_REMEDY);
      if (isTemplate(text, offset)) break;
      continue;
    }
    const converter = new YamlConverter(builder, text);
    const start = document.contents?.range?.[0] ?? 0;
    const value = converter.convert(document.contents);
    if (value !== null && builder.faults.isEmpty) yield builder.buildDocument(number, value, start, converter.tags);
  }
  builder.throwIfFaulty();
}

function* compose(text: string, builder: DocumentBuilder): Generator<Document.Parsed> {
  const composer = new Composer({
    schema: 'failsafe',
    resolveKnownTags: false,
    uniqueKeys: false,
    merge: false,
    logLevel: 'silent',
    prettyErrors: false,
  });
  for (const token of tokenize(text, builder)) {
    const deep = findTooDeep(token, builder.limits.depth);
    if (deep) builder.addTooDeepFault(deep.offset);
    else yield* withoutStacks(() => [...composer.next(token)]);
  }
  yield* composer.end();
}

/** Text with a fault at each character makes as many errors, whose stacks would take most of the time. */
function withoutStacks<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Stops with a fault at a limit, because everything that is read costs memory, and depth costs stack. */
function* tokenize(text: string, builder: DocumentBuilder): Generator<CST.Token> {
  const parser = new Parser();
  const budget = new TokenBudget(builder);
  for (const lexeme of tolerantLexer().lex(text)) {
    if (lexeme.startsWith(SKIPPED)) parser.offset += lexeme.length - SKIPPED.length;
    else {
      const { offset } = parser;
      for (const token of parser.next(lexeme)) {
        if (budget.countToken(token, offset)) yield token;
        else return;
      }
      if (!budget.countLexeme(lexeme, offset, parser.stack)) return;
    }
  }
  yield* parser.end();
}

/** The first collection below the allowed depth. Iterative, because the composer would recurse. */
function findTooDeep(document: CST.Token, limit: number): CST.Token | undefined {
  const open: { token: CST.Token; depth: number }[] = [{ token: document, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { token, depth } = next;
    if (depth > limit) return token;
    if (token.type === 'document') {
      if (token.value) open.push({ token: token.value, depth: 1 });
    } else if (token.type === 'block-map' || token.type === 'block-seq' || token.type === 'flow-collection') {
      for (const item of token.items) {
        if (item.value && 'items' in item.value) open.push({ token: item.value, depth: depth + 1 });
        if (item.key && 'items' in item.key) open.push({ token: item.key, depth: depth + 1 });
      }
    }
  }
  return undefined;
}
