import type { CST } from 'yaml';
import { type DocumentBuilder } from './document-builder.js';

/** What `{` and `[` count as: an empty flow collection takes as much memory as this many of other tokens. */
export const FLOW_COLLECTION_TOKENS = 5;
const WHITE_SPACE: ReadonlySet<string | undefined> = new Set([' ', '\t', '\n', '#']);

/** Counts what one YAML file has read so far, and says where it has to stop, so that hostile text is refused before it is a tree. */
export class TokenBudget {
  private tokens = 0;
  private readonly errors: CST.ErrorToken[] = [];

  constructor(private readonly builder: DocumentBuilder) {}

  /** False, with a fault added, once the file has more tokens or a deeper tree than it may have. */
  countLexeme(lexeme: string, offset: number, open: readonly CST.Token[]): boolean {
    const { tokens, depth } = this.builder.limits;
    if (lexeme === '{' || lexeme === '[') this.tokens += FLOW_COLLECTION_TOKENS;
    else if (!WHITE_SPACE.has(lexeme[0])) this.tokens += 1;
    // Below the document stand as many collections as it is deep.
    const tooDeep = open[depth + 1];
    if (tooDeep && 'items' in tooDeep) {
      this.builder.addTooDeepFault(tooDeep.offset);
      return false;
    }
    if (this.tokens <= tokens) return true;
    const detail = `has more than ${tokens} tokens, of which each "{" and "[" counts as ${FLOW_COLLECTION_TOKENS}`;
    this.builder.addLimitFault(offset, 'tokens', detail, 'Split the file.');
    return false;
  }

  /** False, with a fault for each, once there are more syntax errors than are listed. */
  countToken(token: CST.Token, offset: number): boolean {
    if (token.type !== 'error') return true;
    this.errors.push(token);
    if (this.errors.length <= this.builder.limits.faults) return true;
    for (const error of this.errors)
      this.builder.addFault(error.offset, error.message, 'Correct the YAML at this place.');
    this.builder.addFault(offset, 'has more errors, and is not read further', 'Correct the YAML before this place.');
    return false;
  }
}
