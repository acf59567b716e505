import { rank } from '../../core/access/roles.js';
import { EnvelopeOf } from '../../core/listing/page.js';
import { IdField, TextField, TimeField, WordField } from '../../core/schema/fields.js';
import { ObjectType } from '@nestjs/graphql';

export const WORKSPACE_ROLES = ['admin', 'editor', 'viewer'] as const;
export type WorkspaceRole = (typeof WORKSPACE_ROLES)[number];

/** A user whom a role in the workspace was granted. */
export interface WorkspaceMember {
  userId: string;
  email: string;
  role: number;
  createdAt: Date;
}

@ObjectType('WorkspaceMember')
export class WorkspaceMemberView {
  @IdField()
  user_id!: string;

  @TextField()
  email!: string;

  @WordField(WORKSPACE_ROLES)
  role!: WorkspaceRole;

  @TimeField()
  created_at!: Date;

  static of(this: void, member: WorkspaceMember): WorkspaceMemberView {
    return Object.assign(new WorkspaceMemberView(), {
      user_id: member.userId,
      email: member.email,
      role: WORKSPACE_ROLES.find((role) => rank(role) === member.role) ?? 'viewer',
      created_at: member.createdAt,
    });
  }
}

export const WorkspaceMemberPage = EnvelopeOf(WorkspaceMemberView, 'members', 'WorkspaceMemberPage');
