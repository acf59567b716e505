import { InputForms } from '../../core/schema/field-examples.js';
import { NameInput, WordInput } from '../../core/schema/input-fields.js';
import { SERVICE_ROLES, type ServiceRole } from './service-account.view.js';

@InputForms({ example: { name: 'pipeline', role: 'member' } })
export class NewServiceAccount {
  @NameInput()
  name!: string;

  @WordInput(SERVICE_ROLES)
  role!: ServiceRole;
}
