/** How the source of a design was written; on the wire `source_type` and `type.String`. */
export const sourceTypes = ['design', 'kubernetes', 'helm', 'kustomize', 'docker-compose'] as const;
export type SourceType = (typeof sourceTypes)[number];
