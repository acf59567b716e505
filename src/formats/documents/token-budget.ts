import type { CST } from 'yaml';
import { type DocumentBuilder } from './document-builder.js';

/** The weight of `{` and `[`: an empty flow collection takes as much memory as this many other tokens. */
export const FLOW_COLLECTION_TOKENS = 5;
const WHITE_SPACE: ReadonlySet<string | undefined> = new Set([' ', '\t', '\n', '#']);

/** Counts the tokens of one YAML file and stops at a limit, so that hostile text is refused before a tree is built. */
export class TokenBudget {
  private tokens = 0;
  private readonly errors: CST.ErrorToken[] = [];

  constructor(private readonly builder: DocumentBuilder) {}

  /** False, with a fault added, once the file exceeds the allowed tokens or depth. */
  countLexeme(lexeme: string, offset: number, open: readonly CST.Token[]): boolean {
    const { tokens, depth } = this.builder.limits;
    if (lexeme === '{' || lexeme === '[') this.tokens += FLOW_COLLECTION_TOKENS;
    else if (!WHITE_SPACE.has(lexeme[0])) this.tokens += 1;
    // A document contains as many nested collections as it is deep.
    const tooDeep = open[depth + 1];
    if (tooDeep && 'items' in tooDeep) {
      this.builder.addTooDeepFault(tooDeep.offset);
      return false;
    }
    if (this.tokens <= tokens) return true;
    const detail = `has more than ${tokens} tokens, of which each "{" and "[" counts as ${FLOW_COLLECTION_TOKENS}`;
    this.builder.addFault(offset, detail, 'Split the file.');
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
