export const ATTENTION_KINDS = [
  'failed',
  'degraded',
  'drifted',
  'approval',
  'frozen',
  'webhook',
  'connection',
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

export const SUBJECT_TYPES = ['deployment', 'environment', 'webhook', 'connection'] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];

/** Something that needs attention. */
export interface AttentionItem {
  kind: AttentionKind;
  since: Date;
  subject: { type: SubjectType; id: string; name: string };
  workspace_id: string | null;
  environment_id: string | null;
  reason: string;
}
