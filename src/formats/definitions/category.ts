/** The slug of a category in paths: `Security & Compliance` is `security-compliance`. */
export function toCategorySlug(category: string): string {
  return category
    .toLowerCase()
    .replaceAll('&', '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}

/** The category of models without one. */
export const UNCATEGORIZED = 'Uncategorized';
