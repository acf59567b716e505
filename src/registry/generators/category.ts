import { slugOf } from '../models/category.js';

/** The named categories of models. */
export const categories = [
  'Orchestration & Management',
  'Service Mesh',
  'Observability',
  'Security & Compliance',
  'App Definition',
  'Cloud Provider',
  'Database',
  'Networking',
] as const;

export type Category = (typeof categories)[number];

/** The categories of Artifact Hub (annotation `artifacthub.io/category`, https://artifacthub.io/docs/topics/annotations/helm/). */
const OF_ARTIFACT_HUB = new Map<string, Category>([
  ['ai-machine-learning', 'App Definition'],
  ['database', 'Database'],
  ['integration-delivery', 'App Definition'],
  ['monitoring-logging', 'Observability'],
  ['networking', 'Networking'],
  ['security', 'Security & Compliance'],
  ['storage', 'Orchestration & Management'],
  ['streaming-messaging', 'App Definition'],
]);

/** The named category behind a name or slug; other text is a category of its own and stays as written. */
export function categoryNamed(text: string): string {
  return categories.find((category) => slugOf(category) === slugOf(text)) ?? text;
}

/** The category of a chart by the annotation that Artifact Hub reads, or by one that names ours; undefined for anything else. */
export function categoryOfChart(annotation: string): Category | undefined {
  const slug = slugOf(annotation);
  return OF_ARTIFACT_HUB.get(slug) ?? categories.find((category) => slugOf(category) === slug);
}
