import type { PlanView } from '@armature/client';

export type SubjectType = 'design' | 'deployment' | 'environment' | 'workspace' | 'connection' | 'resource' | 'webhook';

export interface AttentionItem {
  kind: 'failed' | 'degraded' | 'drifted' | 'approval' | 'frozen' | 'webhook' | 'connection';
  since: string;
  subject: { type: SubjectType; id: string; name: string };
  workspace_id: string | null;
  environment_id: string | null;
  reason: string | null;
}

export interface Found {
  type: SubjectType;
  id: string;
  name: string;
  workspace_id?: string | null;
  path: string;
}

/** Operations that the document of the API does not describe yet. */
export interface NewOperations {
  listAttention(options: { query: { orgID?: string; pagesize?: number; cursor: string } }): Promise<{
    items: AttentionItem[];
    next_cursor?: string | null;
  }>;
  searchRecords(options: { query: { q: string } }): Promise<{ results: Found[] }>;
  getDeploymentPlan(options: { path: { id: string } }): Promise<PlanView>;
  listFavourites(): Promise<{ favourites: Found[] }>;
  addFavourite(options: { path: { type: string; id: string } }): Promise<void>;
  removeFavourite(options: { path: { type: string; id: string } }): Promise<void>;
}

export const NEW_OPERATIONS: Record<keyof NewOperations, readonly [method: string, path: string]> = {
  listAttention: ['GET', '/api/attention'],
  searchRecords: ['GET', '/api/search'],
  getDeploymentPlan: ['GET', '/api/deployments/{id}/plan'],
  listFavourites: ['GET', '/api/identity/users/favourites'],
  addFavourite: ['PUT', '/api/identity/users/favourites/{type}/{id}'],
  removeFavourite: ['DELETE', '/api/identity/users/favourites/{type}/{id}'],
};
