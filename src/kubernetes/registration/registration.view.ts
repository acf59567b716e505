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

/** What became of one context of a kubeconfig. */
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
    description: 'Of a connected cluster: the rights that the credential lacks, with what does not work for each.',
  })
  missing_rights?: MissingRightView[];
}

/** Connected answered; registered are kept but did not answer; failed were not taken. */
export class RegistrationView {
  @RecordsField(() => RegisteredContext, { rest: true })
  connected: RegisteredContext[] = [];

  @RecordsField(() => RegisteredContext, { rest: true })
  registered: RegisteredContext[] = [];

  @RecordsField(() => RegisteredContext, { rest: true })
  failed: RegisteredContext[] = [];
}
