import { Lexer } from 'yaml';
import { SKIPPED, tolerantLexer } from './tolerant-lexer.js';

const read = (lexer: Lexer, text: string): string[] => [...lexer.lex(text)];

describe('The lexer of YAML', () => {
  it('reads what needs no tolerance as it is', () => {
    const text = 'a: [1, "two"]\nb:\n  - c: |\n      text\n';
    expect(read(tolerantLexer(), text)).toEqual(read(new Lexer(), text));
  });

  it('reads quoted text that continues at the indentation of its key, which the one of the library ends there', () => {
    const text = 'a:\n  b: "one\n  two"\n';
    expect(read(tolerantLexer(), text)).toContain('"one\n  two"');
    expect(read(new Lexer(), text)).not.toContain('"one\n  two"');
  });

  it('skips runs of empty lines at once', () => {
    const lexemes = read(tolerantLexer(), `a: 1\n${'\n'.repeat(1_000)}b: 2\n`);
    expect(lexemes.length).toBeLessThan(30);
    expect(lexemes.some((lexeme) => lexeme.startsWith(SKIPPED))).toBe(true);
  });
});
