import { trimText } from '../../core/trim-text.js';

/** The slug of a category in paths: `Security & Compliance` is `security-compliance`. */
export function toCategorySlug(category: string): string {
  return trimText(
    category
      .toLowerCase()
      .replaceAll('&', '')
      .replace(/[^\p{L}\p{N}]+/gu, '-'),
    /-/,
  );
}

/** The category of models without one. */
export const UNCATEGORIZED = 'Uncategorized';
