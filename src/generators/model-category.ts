import { NAMED_CATEGORIES, toCategorySlug } from '../formats/definitions/category.js';

export type ModelCategory = (typeof NAMED_CATEGORIES)[number];

/** The categories of Artifact Hub (annotation `artifacthub.io/category`, https://artifacthub.io/docs/topics/annotations/helm/). */
const ARTIFACT_HUB_CATEGORIES = new Map<string, ModelCategory>([
  ['ai-machine-learning', 'App Definition'],
  ['database', 'Database'],
  ['integration-delivery', 'App Definition'],
  ['monitoring-logging', 'Observability'],
  ['networking', 'Networking'],
  ['security', 'Security & Compliance'],
  ['storage', 'Orchestration & Management'],
  ['streaming-messaging', 'App Definition'],
]);

/** The predefined category with this name or slug; other text is returned unchanged as a custom category. */
export function toModelCategory(text: string): string {
  return NAMED_CATEGORIES.find((category) => toCategorySlug(category) === toCategorySlug(text)) ?? text;
}

/** The category of a chart by its annotation: a category of Artifact Hub, or a predefined one; undefined for any other. */
export function chartCategory(annotation: string): ModelCategory | undefined {
  const slug = toCategorySlug(annotation);
  return ARTIFACT_HUB_CATEGORIES.get(slug) ?? NAMED_CATEGORIES.find((category) => toCategorySlug(category) === slug);
}
