import { Lexer } from 'yaml';

/** Marks skipped text between lexemes; it is a control character, which no text contains. */
export const SKIPPED = '\u0000';

type State = () => Generator<string, unknown>;

/** The parts of the lexer without settings: private in its types, so a cast is needed. */
interface LexerParts {
  buffer: string;
  pos: number;
  indentNext: number;
  parseQuotedScalar: State;
  parseStream: State;
  parseLineStart: State;
  parseFlowCollection: State;
}

/**
 * Replaces states of the lexer of yaml 2, which has no settings. Not for speed alone: manifests of the corpus depend
 * on it.
 * - Quoted text may continue at any indentation: YAML requires more than that of its key, but common readers do not.
 *   The lexer compares with `indentNext`, which is therefore unset while it reads a quoted text.
 * - Runs of empty lines between nodes are skipped at once except for the last line end: each would take a microsecond,
 *   and some 200 MB of them fit into a small archive.
 */
export function tolerantLexer(): Lexer {
  const lexer = new Lexer();
  const inner = lexer as unknown as LexerParts;
  for (const name of ['parseStream', 'parseLineStart', 'parseFlowCollection'] as const) {
    const state = inner[name].bind(lexer);
    inner[name] = function* () {
      const end = endOfEmptyLines(inner);
      if (end > inner.pos) yield SKIPPED + inner.buffer.slice(inner.pos, end);
      inner.pos = end;
      return yield* state();
    };
  }
  const read = inner.parseQuotedScalar.bind(lexer);
  inner.parseQuotedScalar = function* () {
    const { indentNext } = inner;
    inner.indentNext = 0;
    const state = yield* read();
    inner.indentNext = indentNext;
    return state;
  };
  return lexer;
}

/** The end of the last comment-only line before its newline; without any, the position of the lexer. A comment is preceded by white space. */
function endOfEmptyLines({ buffer, pos }: LexerParts): number {
  const isWithin = pos > 0 && buffer[pos - 1] !== '\n' && !/[ \t\n]/.test(buffer[pos] ?? '');
  let end = pos;
  for (let at = pos; !isWithin; at = end + 1) {
    while (buffer[at] === ' ' || buffer[at] === '\t') at += 1;
    if (buffer[at] === '#') at = buffer.indexOf('\n', at);
    if (at < 0 || buffer[at] !== '\n') break;
    end = at;
  }
  return end;
}
