import { cleared, given, Writes } from '../core/rest/change-input.js';
import { ChangeOnly } from '../core/rest/input.pipe.js';
import { MapInput, NameInput, TextInput } from '../core/schema/input-fields.js';
import type { Organization } from './organization.entity.js';
import { OrganizationView } from './organization.view.js';

@Writes(() => OrganizationView)
export class NewOrganization {
  @NameInput()
  name!: string;

  @TextInput({ clearable: true })
  description?: string | null;

  @MapInput({ clearable: true })
  metadata?: Record<string, unknown> | null;
}

@Writes(() => OrganizationView)
export class OrganizationChange extends ChangeOnly {
  @NameInput({ optional: true })
  name?: string;

  @TextInput({ clearable: true })
  description?: string | null;

  @MapInput({ clearable: true })
  metadata?: Record<string, unknown> | null;

  /** The columns that this input sets. */
  fields(): Partial<Organization> {
    return given({
      name: this.name,
      description: cleared(this.description, ''),
      metadata: cleared(this.metadata, {}),
    });
  }
}
