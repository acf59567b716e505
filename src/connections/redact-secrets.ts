/** Shorter words than this are not looked for: they would be found everywhere. */
const MIN_LENGTH = 6;

/** The text with every word of the secret in it hidden, as it is and as HTTP sends it. */
export function redactSecrets(text: string, secret: object | null): string {
  const words = secretWords(secret).filter((word) => word.length >= MIN_LENGTH);
  return words.sort((a, b) => b.length - a.length).reduce((left, word) => left.replaceAll(word, '[redacted]'), text);
}

function secretWords(value: unknown): string[] {
  if (typeof value === 'string') return [value, Buffer.from(value).toString('base64')];
  if (typeof value !== 'object' || value === null) return [];
  const { username, password } = value as { username?: unknown; password?: unknown };
  const basic =
    typeof username === 'string'
      ? [Buffer.from(`${username}:${typeof password === 'string' ? password : ''}`).toString('base64')]
      : [];
  return [...basic, ...Object.values(value).flatMap(secretWords)];
}
