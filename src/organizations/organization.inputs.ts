import { InputForms } from '../core/schema/field-examples.js';
import { nullToEmpty, definedFields, UpdatesView } from '../core/rest/read-only-fields.js';
import { UpdateInput } from '../core/rest/input.pipe.js';
import { MetadataInput, NameInput, TextInput } from '../core/schema/input-fields.js';
import type { Organization } from './organization.entity.js';
import { OrganizationView } from './organization.view.js';

@UpdatesView(() => OrganizationView)
@InputForms({ example: { name: 'Example' } })
export class NewOrganization {
  @NameInput()
  name!: string;

  @TextInput({ clearable: true })
  description?: string | null;

  @MetadataInput({ clearable: true })
  metadata?: Record<string, unknown> | null;
}

@UpdatesView(() => OrganizationView)
@InputForms({ rename: { name: 'Example' } })
export class OrganizationChange extends UpdateInput {
  @NameInput({ optional: true })
  name?: string;

  @TextInput({ clearable: true })
  description?: string | null;

  @MetadataInput({ clearable: true })
  metadata?: Record<string, unknown> | null;

  /** The columns that this input sets. */
  fields(): Partial<Organization> {
    return definedFields({
      name: this.name,
      description: nullToEmpty(this.description, ''),
      metadata: nullToEmpty(this.metadata, {}),
    });
  }
}
