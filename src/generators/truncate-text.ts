/** What is left when the cut went through a surrogate pair. */
const HALF_SURROGATE = /[\ud800-\udbff]$/;

/** Text for people, cut where nobody would read on. */
export function truncateText(text: string, longest: number): string {
  const clean = text.trim();
  return clean.length > longest ? `${clean.slice(0, longest).replace(HALF_SURROGATE, '')}…` : clean;
}
