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

/** The categories that always exist, also where no model is of them. */
export const NAMED_CATEGORIES = [
  'Orchestration & Management',
  'Service Mesh',
  'Observability',
  'Security & Compliance',
  'App Definition',
  'Cloud Provider',
  'Database',
  'Networking',
] as const;
