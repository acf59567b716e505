/**
 * The source format of a design; in the API `source_type` and `type.String`.
 *
 * `PUT /api/pattern/{format}` names file types rather than content: its `yaml` and `json` may hold a design or a manifest.
 * It accepts the source types by their own names as well.
 */
export const SOURCE_TYPES = ['design', 'kubernetes', 'helm', 'kustomize', 'docker-compose'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

const SOURCE_TYPES_BY_SEGMENT = new Map<string, readonly SourceType[]>([
  ['yaml', ['design', 'kubernetes']],
  ['json', ['design', 'kubernetes']],
]);

/** The words for the format in a path. */
export const SOURCE_TYPE_SEGMENTS = [...SOURCE_TYPES_BY_SEGMENT.keys(), ...SOURCE_TYPES];

/** The source types that a format in a path may mean, in the order of detection; none for an unknown one. */
export function parseSourceTypes(segment: string): readonly SourceType[] {
  return SOURCE_TYPES_BY_SEGMENT.get(segment) ?? SOURCE_TYPES.filter((type) => type === segment);
}
