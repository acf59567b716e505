import { ObjectType } from '@nestjs/graphql';
import { PaginatedView } from '../../core/listing/page.js';
import { EnumField, graphqlEnum, IdField, RecordField, TextField, TimeField } from '../../core/schema/view-fields.js';
import { ATTENTION_KINDS, type AttentionKind, SUBJECT_TYPES, type SubjectType } from './attention-kinds.js';

const AttentionKindEnum = graphqlEnum('AttentionKind', ATTENTION_KINDS, 'Why something needs attention.');
const AttentionSubjectTypeEnum = graphqlEnum('AttentionSubjectType', SUBJECT_TYPES, 'What needs attention.');

@ObjectType('AttentionSubject', { description: 'The record that needs attention.' })
export class AttentionSubjectView {
  @EnumField(AttentionSubjectTypeEnum, { description: 'What it is.' })
  type!: SubjectType;

  @IdField()
  id!: string;

  @TextField({ description: 'The name; of a webhook its URL, without what may be secret.' })
  name!: string;
}

@ObjectType('AttentionItem', { description: 'Something that needs attention.' })
export class AttentionItemView {
  @EnumField(AttentionKindEnum, { description: 'Why it needs attention.' })
  kind!: AttentionKind;

  @TimeField({ description: 'Since when.' })
  since!: Date;

  @RecordField(() => AttentionSubjectView, { description: 'The record.' })
  subject!: AttentionSubjectView;

  @IdField({ nullable: true, description: 'The workspace that it belongs to, if it belongs to one.' })
  workspace_id!: string | null;

  @IdField({ nullable: true, description: 'The environment that it concerns, if it concerns one.' })
  environment_id!: string | null;

  @TextField({ description: 'What is wrong, or what is asked.' })
  reason!: string;
}

export const AttentionPage = PaginatedView(AttentionItemView, 'items', 'AttentionPage');
