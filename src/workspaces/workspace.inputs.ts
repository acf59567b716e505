import { InputForms } from '../core/schema/field-examples.js';
import { nullToEmpty, definedFields, UpdatesView } from '../core/rest/read-only-fields.js';
import { UpdateInput } from '../core/rest/input.pipe.js';
import { IdInput, MetadataInput, NameInput, TextInput } from '../core/schema/input-fields.js';
import type { Workspace } from './workspace.entity.js';
import { WorkspaceView } from './workspace.view.js';

@UpdatesView(() => WorkspaceView)
export class NewWorkspace {
  @NameInput()
  name!: string;

  @TextInput({ clearable: true })
  description?: string | null;

  @IdInput()
  organization_id!: string;

  @MetadataInput({ clearable: true })
  metadata?: Record<string, unknown> | null;
}

@UpdatesView(() => WorkspaceView)
@InputForms({ rename: { name: 'shop' } })
export class WorkspaceChange extends UpdateInput {
  @NameInput({ optional: true })
  name?: string;

  @TextInput({ clearable: true })
  description?: string | null;

  @MetadataInput({ clearable: true })
  metadata?: Record<string, unknown> | null;

  /** The columns that this input sets. */
  fields(): Partial<Workspace> {
    return definedFields({
      name: this.name,
      description: nullToEmpty(this.description, ''),
      metadata: nullToEmpty(this.metadata, {}),
    });
  }
}
