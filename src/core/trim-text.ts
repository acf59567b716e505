/**
 * Removes the characters at both ends of a text that match. Its time is linear, whereas `/x+$/` tries each run of such
 * characters anywhere in the text.
 *
 * @param character matches a single character
 */
export function trimText(text: string, character: RegExp): string {
  return trimTextEnd(trimTextStart(text, character), character);
}

/** As `trimText`, only at the start. */
export function trimTextStart(text: string, character: RegExp): string {
  let start = 0;
  while (start < text.length && character.test(text.charAt(start))) start += 1;
  return text.slice(start);
}

/** As `trimText`, only at the end. */
export function trimTextEnd(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
