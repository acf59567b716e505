import { MissingRightView } from '../rights/rights.view.js';
import { IdField, RecordField, RecordsField, TextField } from '../../core/schema/view-fields.js';

export class RegistrationFault {
  @TextField({ rest: true })
  code!: string;

  @TextField({ rest: true })
  detail!: string;

  @TextField({ rest: true, optional: true })
  remedy?: string;
}

/** The outcome of one context of a kubeconfig. */
export class RegisteredContext {
  @TextField({ rest: true })
  context!: string;

  @IdField({ rest: true, optional: true })
  connection_id?: string;

  @RecordField(() => RegistrationFault, { rest: true, optional: true })
  error?: RegistrationFault;

  @RecordsField(() => MissingRightView, {
    rest: true,
    optional: true,
    description: 'The rights that the credential of a connected cluster lacks, with the consequence of each.',
  })
  missing_rights?: MissingRightView[];
}

/** `connected` clusters responded; `registered` ones were stored but did not respond; `failed` ones were rejected. */
export class RegistrationView {
  @RecordsField(() => RegisteredContext, { rest: true })
  connected: RegisteredContext[] = [];

  @RecordsField(() => RegisteredContext, { rest: true })
  registered: RegisteredContext[] = [];

  @RecordsField(() => RegisteredContext, { rest: true })
  failed: RegisteredContext[] = [];
}
