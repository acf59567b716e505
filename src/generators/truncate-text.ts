/** A surrogate whose other half was cut off. */
const HALF_SURROGATE = /[\ud800-\udbff]$/;

/** Text shortened to `longest` characters. */
export function truncateText(text: string, longest: number): string {
  const clean = text.trim();
  return clean.length > longest ? `${clean.slice(0, longest).replace(HALF_SURROGATE, '')}…` : clean;
}
