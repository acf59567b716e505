/** The types of records that are searched and marked as favourites, in the order in which results of one match are shown. */
export const RECORD_TYPES = ['design', 'deployment', 'environment', 'workspace', 'connection', 'resource'] as const;
export type RecordType = (typeof RECORD_TYPES)[number];

export interface RecordReference {
  type: RecordType;
  id: string;
}

/** A record that the caller sees. */
export interface SeenRecord extends RecordReference {
  name: string;
  workspace_id: string | null;
  /** The address of its screen. */
  path: string;
}
