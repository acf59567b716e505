/**
 * Splits a command as a POSIX shell splits words: at blanks, except in quotes or after backslashes; nothing is expanded.
 * Undefined for an unclosed quote.
 */
export function splitShellWords(command: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < command.length; at += 1) {
    const char = command.charAt(at);
    const next = command[at + 1];
    if (quote === "'") {
      if (char === "'") quote = '';
      else word += char;
    } else if (char === '\\' && next !== undefined && (quote === '' || '"\\$`\n'.includes(next))) {
      if (next !== '\n') word = (word ?? '') + next;
      at += 1;
    } else if (quote === '"') {
      if (char === '"') quote = '';
      else word += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + char;
    }
  }
  if (quote !== '') return undefined;
  if (word !== undefined) words.push(word);
  return words;
}
